-- New leads get their row of `private.lead_work` here, soon after their insert, which is not to wait for it. The flags of suspected
-- spam are decided at the same moment.

-- Whether words hold a link. What stands before the dot of a bare domain has two characters or more, and is no title: J.Me, T.Ly,
-- Mr.Link and Mr.Diaz/Mrs.Diaz are names.
create function private.holds_link(words text) returns boolean
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
return private.in_ascii(words) ~* (
  '(https?:|mailto:|www\.|<a\M|\mt\.me\M|(?<![a-z0-9-])[a-z0-9]\.(?:com|co|ly|gd|mp|cc|to|io|ru|link)/\S|(?<![a-z0-9-])(?!(?:mr|mrs|ms|dr|st|jr|sr)\.)[a-z0-9-]{2,}\.[a-z]{2,}/\S|(?<![a-z0-9-])(?!(?:mr|mrs|ms|dr|st|jr|sr)\.)[a-z0-9-]{2,}\.'
  '(com|net|org|ru|info|xyz|top|shop|biz|io|co|me|ly|online|site|club|dev|app|link|click|live|store|website|space|icu|cc|tk|uk)\M)'
);

-- Flags each lead of a burst: its name, e-mail address or phone came more than five times from its address within ten minutes before and
-- after it.
-- For each address of a new lead it reads at most the 100 newest leads without the flag, and compares each of them with at most ten leads up
-- to it, itself among them, and ten after it, because otherwise the cost of each lead would grow with the flood.
create function private.flag_bursts(new_leads uuid[]) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  -- Each step is materialized: in a flood nearly all leads have the flag, so the planner expects hardly any without it, and would repeat a
  -- step for each of them.
  with given as materialized (
    select w.address, min(w.created_at) as first_at
    from private.lead_work w
    where w.lead_id = any (new_leads) and w.address is not null
    group by w.address
  ), recent as materialized (
    select r.lead_id, r.created_at, given.address
    from given
    cross join lateral (
      select r.lead_id, r.created_at from private.lead_work r
      -- Earlier leads are not read, because they are more than ten minutes older than every new one.
      where r.address = given.address and r.created_at >= given.first_at - interval '10 minutes'
        and not r.flags @> array['burst from one address']
      order by r.created_at desc limit 100
    ) r
  ), burst as materialized (
    select c.lead_id
    from recent c
    join public.leads l on l.id = c.lead_id
    where 5 < (
      select count(*)
      from (
        (
          select before.lead_id from private.lead_work before
          where before.address = c.address
            and before.created_at >= c.created_at - interval '10 minutes'
            -- Leads that one statement stored have the same time. PostgreSQL before 18 gives them random ids, so that of a hundred of them, a
            -- few that are alike may be too far apart here to be flagged.
            and (before.created_at, before.lead_id) <= (c.created_at, c.lead_id)
          order by before.created_at desc, before.lead_id desc limit 10
        )
        union all
        (
          select after.lead_id from private.lead_work after
          where after.address = c.address
            and (after.created_at, after.lead_id) > (c.created_at, c.lead_id)
            and after.created_at <= c.created_at + interval '10 minutes'
          order by after.created_at, after.lead_id limit 10
        )
      ) near
      join public.leads other on other.id = near.lead_id
      where other.name = l.name or other.email = l.email or other.phone = l.phone
    )
  )
  update private.lead_work w
  set flags = array_append(w.flags, 'burst from one address')
  -- The update looks at the flag again, because another process may have set it since this statement began.
  where w.lead_id = any (array(select burst.lead_id from burst)) and not w.flags @> array['burst from one address']
$$;

-- The leads that have no row yet, the oldest first and those of one moment by their ids, because two processes that wrote the same rows
-- in two orders would wait for each other. Looks back a little further than the newest row, because leads are not committed
-- in the order of their times; an insert of the intake takes 8 seconds at most, besides the wait for a synchronous standby. A wider look back
-- finds leads that a person inserted by hand in a long transaction. A row with a time in the future does not count, because a clock that was
-- ahead for a moment would otherwise hide every lead of the time until then.
create function private.leads_to_index(at_most integer default null, look_back interval default '15 seconds') returns setof uuid
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
declare
  -- A variable, because the planner must see that few leads are newer: it would otherwise read every row at each call.
  since timestamptz := coalesce((select max(w.created_at) from private.lead_work w where w.created_at <= now()) - look_back, '-infinity');
begin
  return query
    select l.id from public.leads l
    where l.created_at > since and not exists (select from private.lead_work w where w.lead_id = l.id)
    order by l.created_at, l.id
    limit at_most;
end $$;

-- Writes a row for each of these leads that has none, and returns the ids of the leads for which it wrote one. Waits for another process
-- that writes the same row at this moment.
create function private.index_leads(leads uuid[]) returns uuid[]
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  indexed uuid[];
begin
  with new_rows as (
    insert into private.lead_work (
      lead_id, created_at, phone_digits, other_numbers, email_key, other_addresses, search, flags, address, number_key, place, stage, reviewed_at,
      withdrawn_at, is_owed, utm, variant, device
    )
    select
      l.id, l.created_at, coalesce(typed.numbers[1], ''),
      typed.numbers[2:] || private.numbers_beside(l.name, l.email, typed.numbers), private.email_key(l.email),
      private.other_addresses(private.email_key(l.email)), array_to_tsvector(private.words_of(l.name)),
      array_remove(array[
        case when p.honeypot_filled then 'honeypot filled' end,
        case when private.holds_link(l.name) then 'link in name' end,
        -- Without a list of allowed origins a form on another site is taken, and flagged.
        case when p.is_foreign_page then 'page elsewhere' end
      ], null),
      p.address, coalesce(typed.numbers[1], l.id::text), private.place_of(l.zip_code, l.phone),
      case when p.withdrawn_at is null and r.lead_id is null then 'open' else 'closed' end, r.reviewed_at, p.withdrawn_at,
      exists (select from private.owed_deliveries d where d.lead_id = l.id), p.utm,
      p.variant, coalesce(p.device, private.device_of(p.browser))
    from public.leads l
    -- Without the offset the planner would call the function at each use of its result.
    cross join lateral (select private.phone_numbers(l.phone) as numbers offset 0) typed
    left join private.permissions p on p.lead_id = l.id
    left join private.reviews r on r.lead_id = l.id
    where l.id = any (leads)
    order by l.created_at, l.id
    -- Waits for the erasure of one of them that is under way, and leaves that lead out.
    for key share of l
    on conflict do nothing
    returning lead_id
  )
  select array_agg(lead_id) into indexed from new_rows;
  -- A lead may be stored long after the time at which it says it came.
  update private.emptied_circumstances e set up_to = w.created_at, up_to_lead = '00000000-0000-0000-0000-000000000000'
  from (select min(x.created_at) as created_at from private.lead_work x where x.lead_id = any (indexed)) w
  where e.up_to >= w.created_at;
  -- A lead that came before a stop may be committed after it.
  perform private.withdraw_stopped_leads(indexed);
  return indexed;
end $$;

-- Writes the rows of leads that have none yet, at most `at_most`, withdraws those that were stopped meanwhile, and tells the inbox of them.
-- Several processes may call it at once: the number that it returns is of the rows that it wrote itself, so 0 can mean that another
-- process wrote them. In a transaction that has stopped calls it does nothing, because the member's process could read from PostgreSQL's
-- counters whether a permission was withdrawn, and roll back; a later call does it.
create function private.index_new_leads(at_most integer default 1000, look_back interval default '15 seconds') returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  found_leads uuid[];
  indexed uuid[];
begin
  if private.has_stopped_calls() then
    return 0;
  end if;
  found_leads := array(select private.leads_to_index(at_most, look_back));
  -- A lead and a stop that are committed at the same moment do not see each other. This call sees both, so it repeats the latest stops.
  perform private.withdraw_stopped_leads(array(
    select private.leads_with_numbers(array_agg(s.phone_digits)) from private.stop_list s
    where s.stopped_at > now() - interval '10 minutes'
  ));
  if found_leads = '{}' then
    return 0;
  end if;
  indexed := private.index_leads(found_leads);
  if indexed is null then
    return 0;
  end if;
  perform private.flag_bursts(indexed);
  perform private.notify_inbox_of_leads(indexed, are_new => true);
  return cardinality(indexed);
end $$;

-- Writes the rows of leads that a person inserted in a transaction that took long: when they are committed, index_new_leads does not look
-- as far back as their time. Reads every lead, so it is called once a day.
create function private.index_missed_leads() returns integer
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  select private.index_new_leads(100000, interval '100 years');
$$;

-- Writes the row of a lead that was reviewed, withdrawn or owed to a channel, unless it has one. Waits for another process that is writing
-- the same row, because that process does not see the review, the withdrawal or the delivery. Writes the rows of earlier leads too, because no later call looks far behind the newest row.
create function private.index_up_to(lead uuid) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select from private.lead_work w where w.lead_id = lead) then
    perform private.index_new_leads(null);
  end if;
  -- For a lead older than index_new_leads looks back.
  if not exists (select from private.lead_work w where w.lead_id = lead) then
    perform private.flag_bursts(private.index_leads(array[lead]));
    perform private.notify_inbox_of_leads(array[lead], are_new => true);
  end if;
end $$;

-- Does what index_new_leads does, for processes that call it all the time: returns 0 while another process runs this function, because two
-- that take the same leads at once do the work twice. A call of index_new_leads itself takes no lock, and does not count.
create function private.index_new_leads_unless_busy() returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended('private.index_new_leads', 0)) then
    return 0;
  end if;
  return private.index_new_leads();
end $$;

revoke execute on function
  private.holds_link, private.flag_bursts, private.leads_to_index, private.index_leads, private.index_new_leads,
  private.index_missed_leads, private.index_up_to, private.index_new_leads_unless_busy
from public;
grant execute on function
  private.index_new_leads, private.index_missed_leads, private.index_new_leads_unless_busy
to leads_delivery;
