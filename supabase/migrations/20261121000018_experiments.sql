-- Experiments with the article: half of its page loads show the original, half a variant. The pages' own list of them
-- (content/experiments.ts) is synced to this table when the program starts.

-- Ended experiments stay, because leads remember their variant. An experiment has one row, which names its variant; the other
-- half of its loads is called 'original'.
create table private.experiments (
  variant text primary key,
  language text not null,
  started_on date not null,
  -- The day after its last one. Null while it runs.
  ended_on date,
  -- What it was planned for: the share of the original's loads that becomes a lead, and the relative lift that is to be found.
  planned_rate double precision not null,
  planned_lift double precision not null,

  constraint variant_is_a_word check (variant ~ '^[a-z0-9-]{1,40}$' and variant <> 'original'),
  constraint experiment_ends_after_its_start check (ended_on > started_on),
  constraint plan_has_an_effect check (planned_rate > 0 and planned_rate < 1 and planned_lift > -1 and planned_lift <> 0)
);

alter table private.experiments enable row level security;
-- No policy and no grant: the owner, whom row-level security does not bind, and functions of the owner come in here.
revoke all on private.experiments from public, anon, leads_intake, leads_delivery, leads_team;

-- Whether a page may say that it showed this. A request can name anything, so a lead remembers only what is listed.
create function private.is_listed_variant(named text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return exists (select from private.experiments e where named in (e.variant, 'original'));
end $$;

revoke execute on function private.is_listed_variant from public;

-- For the results: the leads of each variant. Costs an insert nothing while no experiment runs.
create index permissions_variant on private.permissions (variant) where variant is not null;
