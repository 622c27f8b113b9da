-- The hours in which each state allows calls, and the states to which a manager has paused them. Sources and doubts:
-- docs/calling-hours.md. Counsel checks the law.

-- One row a state: from which hour until which a call may begin, on its own clocks: [8,20) is from 8:00 until just before 20:00. No hours: no
-- calls that day. Of the days on which calls are barred in a state that does not allow them on its holidays, private.state_holidays has the list.
create table private.calling_rules (
  state text primary key,
  name text not null unique,
  on_weekdays int4range not null,
  on_saturdays int4range,
  on_sundays int4range,
  may_call_on_state_holidays boolean not null default true,
  source text not null,
  read_on date not null default '2026-11-21',

  constraint hours_are_within_the_federal_ones check (
    on_weekdays <@ '[8,21)'::int4range and on_saturdays <@ '[8,21)'::int4range and on_sundays <@ '[8,21)'::int4range
  ),
  constraint hours_are_not_empty check (not (isempty(on_weekdays) or isempty(on_saturdays) or isempty(on_sundays)))
);

-- The states with rules of their own.
insert into private.calling_rules (state, name, on_weekdays, on_saturdays, on_sundays, may_call_on_state_holidays, source) values
  ('AL', 'Alabama', '[8,20)', '[8,20)', null, false, 'Ala. Code 8-19A; Ala. Code 1-3-8 for holidays'),
  ('CA', 'California', '[9,21)', '[9,21)', '[9,21)', true, 'Cal. Pub. Util. Code 2872(c)'),
  ('CT', 'Connecticut', '[9,20)', '[9,20)', '[9,20)', true, 'Conn. Gen. Stat. 42-288a'),
  ('FL', 'Florida', '[8,20)', '[8,20)', '[8,20)', true, 'Fla. Stat. 501.616(6)'),
  ('IL', 'Illinois', '[9,21)', '[9,21)', '[9,21)', true, '815 ILCS 305; 815 ILCS 413/15'),
  ('IN', 'Indiana', '[9,20)', '[9,20)', '[9,20)', true, 'compliance tables; counsel looks for the statute'),
  ('KY', 'Kentucky', '[10,21)', '[10,21)', '[10,21)', true, 'KRS 367.46955(3)'),
  ('LA', 'Louisiana', '[8,20)', '[8,20)', null, false, 'La. R.S. 45:844.31; La. R.S. 1:55 for holidays'),
  ('MA', 'Massachusetts', '[8,20)', '[8,20)', '[8,20)', true, 'Mass. Gen. Laws ch. 159C; 201 CMR 12.00'),
  ('MD', 'Maryland', '[8,20)', '[8,20)', '[8,20)', true, 'Md. Code, Com. Law 14-4502'),
  ('ME', 'Maine', '[9,21)', '[9,21)', '[9,21)', true, 'compliance tables; counsel looks for the statute'),
  ('MI', 'Michigan', '[9,21)', '[9,21)', '[9,21)', true, 'compliance tables naming MCL 750.540e'),
  ('MN', 'Minnesota', '[9,21)', '[9,21)', '[9,21)', true, 'Minn. Stat. 325E.30'),
  ('MS', 'Mississippi', '[8,20)', '[8,20)', null, false, 'compliance tables; Miss. Code 3-3-7 for holidays'),
  ('NM', 'New Mexico', '[9,21)', '[9,21)', '[9,21)', true, 'compliance tables; counsel looks for the statute'),
  ('NV', 'Nevada', '[9,20)', '[9,20)', '[9,20)', true, 'compliance tables; counsel looks for the statute'),
  ('OK', 'Oklahoma', '[8,20)', '[8,20)', '[8,20)', true, 'Okla. Stat. tit. 15, 775C.4'),
  ('OR', 'Oregon', '[8,20)', '[8,20)', '[8,20)', true, 'House Bill 3865 of 2025'),
  ('PA', 'Pennsylvania', '[9,19)', '[9,19)', null, false, 'Senate Bill 992, unconfirmed, applied; 73 P.S. 2245(a)(10) for holidays'),
  ('RI', 'Rhode Island', '[9,18)', '[10,17)', null, true, 'compliance tables; counsel looks for the statute'),
  ('SD', 'South Dakota', '[8,21)', '[8,21)', null, true, 'compliance tables; counsel looks for the statute'),
  ('TX', 'Texas', '[9,21)', '[9,21)', '[12,21)', true, 'compliance tables; counsel looks for the statute'),
  ('UT', 'Utah', '[9,20)', '[9,20)', '[9,20)', true, 'compliance tables; Utah Code 13-25a-103(3) spares calls with consent'),
  ('WA', 'Washington', '[8,20)', '[8,20)', '[8,20)', true, 'RCW 80.36.390'),
  ('WY', 'Wyoming', '[8,20)', '[8,20)', '[8,20)', true, 'compliance tables; counsel looks for the statute'),
  -- Where nothing is known of the place: 13:00 to 18:00 in the East is 10:00 to 15:00 in the West, and in Hawaii 7:00 or 8:00 to 12:00 or
  -- 13:00 (docs/calling-hours.md has the question).
  ('unknown', 'an unknown state', '[13,18)', null, null, true, 'our own rule');

-- The others: the federal hours.
insert into private.calling_rules (state, name, on_weekdays, on_saturdays, on_sundays, source)
select state, name, '[8,21)', '[8,21)', '[8,21)', '47 CFR 64.1200(c)(1)'
from (values
  ('AA', 'a military address in the Americas'), ('AE', 'a military address in Europe'), ('AK', 'Alaska'),
  ('AP', 'a military address in the Pacific'), ('AR', 'Arkansas'), ('AS', 'American Samoa'), ('AZ', 'Arizona'),
  ('CO', 'Colorado'), ('DC', 'the District of Columbia'), ('DE', 'Delaware'), ('FM', 'Micronesia'), ('GA', 'Georgia'),
  ('GU', 'Guam'), ('HI', 'Hawaii'), ('IA', 'Iowa'), ('ID', 'Idaho'), ('KS', 'Kansas'), ('MH', 'the Marshall Islands'),
  ('MO', 'Missouri'), ('MP', 'the Northern Mariana Islands'), ('MT', 'Montana'), ('NC', 'North Carolina'),
  ('ND', 'North Dakota'), ('NE', 'Nebraska'), ('NH', 'New Hampshire'), ('NJ', 'New Jersey'), ('NY', 'New York'),
  ('OH', 'Ohio'), ('PR', 'Puerto Rico'), ('PW', 'Palau'), ('SC', 'South Carolina'), ('TN', 'Tennessee'),
  ('VA', 'Virginia'), ('VI', 'the Virgin Islands'), ('VT', 'Vermont'), ('WI', 'Wisconsin'), ('WV', 'West Virginia')
) as federal (state, name);

-- The states to which a manager has paused all calls: Louisiana, for one, may suspend them in an emergency, also those with consent.
create table private.paused_states (
  state text primary key references private.calling_rules,
  paused_at timestamptz not null default now(),
  paused_by text not null,
  reason text not null,

  constraint reason_is_short check (char_length(reason) <= 500)
);

-- Reference data. No policy and no grant: only functions of the owner read and change it.
alter table private.calling_rules enable row level security;
alter table private.paused_states enable row level security;
revoke all on private.calling_rules, private.paused_states from public, anon, leads_intake, leads_delivery, leads_team;
