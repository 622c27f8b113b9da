-- The numbers in a phone field, and where a person may be: by ZIP code and area code together, because a number from elsewhere tells of a
-- second place.

-- The places of a phone number by its area code.
create table private.area_codes (
  area_code text,
  place text references private.places,
  rank smallint not null,
  primary key (area_code, place),

  constraint area_code_has_three_digits check (area_code ~ '^[2-9][0-9]{2}$')
);

insert into private.area_codes (area_code, place, rank)
select area_code, place, rank
from (values
  ('AK/America/Anchorage|AK/America/Adak', '907'),
  ('AL/America/Chicago', '205 251 256 659 938'),
  ('AL/America/Chicago|AL/America/New_York', '334 483'),
  ('AR/America/Chicago', '327 479 501 870'),
  ('AS/Pacific/Pago_Pago', '684'),
  ('AZ/America/Phoenix', '480 520 602 623'),
  ('AZ/America/Phoenix|AZ/America/Denver', '928'),
  ('CA/America/Los_Angeles', '
    209 213 279 310 323 341 350 357 369 408 415 424 442 510 530 559 562 619 626 627 628 650 657 661 669 707 714 738
    747 760 805 818 820 831 837 840 858 909 916 925 949 951'),
  ('CO/America/Denver', '303 719 720 748 970 983'),
  ('CT/America/New_York', '203 475 860 959'),
  ('DC/America/New_York', '202 771'),
  ('DE/America/New_York', '302'),
  ('FL/America/Chicago|FL/America/New_York', '448 850'),
  ('FL/America/New_York', '239 305 321 324 352 386 407 561 645 656 689 727 728 754 772 786 813 863 904 941 954'),
  ('GA/America/New_York', '229 404 470 478 678 706 762 770 912 943'),
  ('GU/Pacific/Guam', '671'),
  ('HI/Pacific/Honolulu', '808'),
  ('IA/America/Chicago', '319 515 563 641 712'),
  ('ID/America/Denver|ID/America/Los_Angeles', '208 986'),
  ('IL/America/Chicago', '217 224 309 312 331 447 464 618 630 708 730 773 779 815 847 861 872'),
  ('IN/America/Chicago|IN/America/New_York', '219'),
  ('IN/America/New_York', '260 317 463 765'),
  ('IN/America/New_York|IN/America/Chicago', '574 812 930'),
  ('KS/America/Chicago', '316 913'),
  ('KS/America/Chicago|KS/America/Denver', '620 785'),
  ('KY/America/Chicago|KY/America/New_York', '270 364'),
  ('KY/America/New_York', '502 859'),
  ('KY/America/New_York|KY/America/Chicago', '606'),
  ('LA/America/Chicago', '225 318 337 457 504 985'),
  ('MA/America/New_York', '339 351 413 508 617 774 781 857 978'),
  ('MD/America/New_York', '227 240 301 410 443 667'),
  ('ME/America/New_York', '207'),
  ('MI/America/New_York', '231 248 269 278 313 517 586 616 679 734 810 947 989'),
  ('MI/America/New_York|MI/America/Chicago', '906'),
  ('MN/America/Chicago', '218 320 507 612 651 763 924 952'),
  ('MO/America/Chicago', '235 314 417 557 573 636 660 816 975'),
  ('MP/Pacific/Guam', '670'),
  ('MS/America/Chicago', '228 471 601 662 769'),
  ('MT/America/Denver', '406'),
  ('NC/America/New_York', '252 336 472 704 743 828 910 919 980 984'),
  ('ND/America/Chicago|ND/America/Denver', '701'),
  ('NE/America/Chicago', '402 531'),
  ('NE/America/Chicago|NE/America/Denver', '308'),
  ('NH/America/New_York', '603'),
  ('NJ/America/New_York', '201 551 609 640 732 848 856 862 908 973'),
  ('NM/America/Denver', '505 575'),
  ('NV/America/Los_Angeles', '702 725'),
  ('NV/America/Los_Angeles|NV/America/Denver', '775'),
  ('NY/America/New_York', '212 315 329 332 347 363 465 516 518 585 607 624 631 646 680 716 718 838 845 914 917 929 934'),
  ('OH/America/New_York', '216 220 234 283 326 330 380 419 436 440 513 567 614 740 937'),
  ('OK/America/Chicago', '405 539 572 580 918'),
  ('OR/America/Los_Angeles', '503 971'),
  ('OR/America/Los_Angeles|OR/America/Denver', '458 541'),
  ('PA/America/New_York', '215 223 267 272 412 445 484 570 582 610 717 724 814 835 878'),
  ('PR/America/Puerto_Rico', '787 939'),
  ('RI/America/New_York', '401'),
  ('SC/America/New_York', '803 821 839 843 854 864'),
  ('SD/America/Chicago|SD/America/Denver', '605'),
  ('TN/America/Chicago', '615 629 731 901 931'),
  ('TN/America/New_York', '865'),
  ('TN/America/New_York|TN/America/Chicago', '423 729'),
  ('TX/America/Chicago', '
    210 214 254 281 325 346 361 409 430 469 512 621 682 713 726 737 806 817 830 832 903 936 940 945 956 972 979'),
  ('TX/America/Chicago|TX/America/Denver', '432'),
  ('TX/America/Denver', '915'),
  ('UT/America/Denver', '385 435 801'),
  ('VA/America/New_York', '276 434 540 571 686 703 757 804 826 948'),
  ('VI/America/Puerto_Rico', '340'),
  ('VT/America/New_York', '802'),
  ('WA/America/Los_Angeles', '206 253 360 425 509 564'),
  ('WI/America/Chicago', '262 274 353 414 534 608 715 920'),
  ('WV/America/New_York', '304 681'),
  ('WY/America/Denver', '307')
) as listed (places, area_codes)
cross join lateral unnest(string_to_array(places, '|')) with ordinality as p (place, rank)
cross join lateral regexp_split_to_table(btrim(area_codes, e' \n'), '\s+') as area_code;

-- Reference data. No policy and no grant: only functions of the owner read it.
alter table private.area_codes enable row level security;
revoke all on private.area_codes from public, anon, leads_intake, leads_delivery, leads_team;

-- What was typed without the zero in brackets that is dialled only within a country: +44 (0)20 7946 0958 is called from here as +44 20 7946 0958.
create function private.without_inland_zero(typed text) returns text
language sql immutable parallel safe
return regexp_replace(typed, '([0-9][^0-9[:alpha:]#,;(]*)[(][^0-9[:alpha:]()]*0[^0-9[:alpha:]()]*[)]', '\1', 'g');

-- One number as it was typed, with a plus sign in place of the 011 or 00 before a country, also where a plus sign stood before that.
create function private.with_plus(run text) returns text
language sql immutable parallel safe
return regexp_replace(run, '^([+][^0-9]*)?(011|00)', '+');

-- The digits of one number that was typed, with a 011 before them where they are ten after the plus sign of another country.
create function private.digits_of_run(run text) returns text
language sql immutable parallel safe
return case when run ~ '^[+][^0-9]*[02-9]' and length(regexp_replace(run, '[^0-9]', '', 'g')) = 10 then '011' else '' end
  || regexp_replace(run, '[^0-9]', '', 'g');

-- Splits a run of digits at slashes, brackets and the like, if each part has seven digits or more. Else the run stays whole, because some
-- write such a sign within a number.
create function private.parts_of_run(run text) returns text[]
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  sign constant text := substring(run from '^[^0-9]*');
  parts text[] := array(
    select regexp_replace(p, '^[^0-9]+', '') from regexp_split_to_table(substr(run, length(sign) + 1), '[/|&(\r\n]+') as p where p ~ '[0-9]'
  );
begin
  parts[1] := sign || parts[1];
  if exists (select from unnest(parts) as p where length(regexp_replace(p, '[^0-9]', '', 'g')) < 7) then
    return array[run];
  end if;
  return parts;
end $$;

-- The phone numbers in what was typed, as digits and in its order: "305 555 0142 x12, home +1 786 555 0199" holds 3055550142 and
-- 7865550199. A number of the United States loses its 1, and each its extension. Any other has 7 to 20 digits, as they stand, without the
-- 011 or 00 before its country. Ten digits of another country (+507 269 1234, Panama) get the 011 with which they are dialled here, because
-- they would otherwise be a stranger's number of the United States.
create function private.phone_numbers(typed text) returns text[]
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  -- A plus between blanks, after a number, stands for "and".
  dialled constant text := regexp_replace(private.without_inland_zero(private.in_ascii(typed)), '([0-9][)]?)\s+[+]\s+', '\1, ', 'g');
  digits constant text := regexp_replace(dialled, '[^0-9]', '', 'g');
  run text;
  of_run text[];
  is_abroad constant boolean := dialled ~ '[+][^0-9]*[02-9]';
  numbers text[] := '{}';
begin
  -- What almost everybody types: one number of the United States, and no word.
  if dialled !~ '[[:alpha:]#,;]' and not is_abroad and (length(digits) = 10 and digits !~ '^0' or length(digits) = 11 and digits like '1%') then
    return array[right(digits, 10)];
  end if;
  -- A word, a comma or a number sign stands before an extension or another number.
  for run in
    select part
    from regexp_matches(dialled, '((?:[+][^0-9[:alpha:]+#,;]*)?[0-9](?:[^0-9[:alpha:]+#,;]*[0-9])*)', 'g') as r
    cross join lateral unnest(private.parts_of_run(r[1])) as part
  loop
    run := private.with_plus(run);
    of_run := array(
      select r[1] || r[2] || r[3]
      from regexp_matches(run, '(?<![0-9])(?:[+]?1[^0-9]*)?([0-9]{3})[^0-9]*([0-9]{3})[^0-9]*([0-9]{4})(?![0-9])', 'g') as r
      where run !~ '^[+][^0-9]*[02-9]'
    );
    numbers := numbers || case when of_run <> '{}' then of_run else array[private.digits_of_run(run)] end;
  end loop;
  if not exists (select from unnest(numbers) as n where length(n) >= 7) then
    numbers := array[private.digits_of_run(private.with_plus(case when is_abroad then '+' || digits else digits end))];
  end if;
  return array(
    select k.number
    from unnest(numbers) with ordinality as n (number, nth)
    cross join lateral (
      select case when length(n.number) = 11 and n.number like '1%' then substr(n.number, 2) else n.number end
    ) as k (number)
    where length(k.number) between 7 and 20
    group by k.number order by min(n.nth)
  );
end $$;

-- The number that is dialled: the first that was typed. Empty when there is none. Attempts are counted by it.
create function private.phone_digits(typed text) returns text
language sql immutable parallel safe
return coalesce((private.phone_numbers(typed))[1], '');

-- The area code of the number that is dialled, where it has the form of a North American one. Whether it is of the United States,
-- private.area_codes says.
create function private.area_code_in(typed text) returns text
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
return substring(private.phone_digits(typed) from '^([2-9][0-9]{2})[2-9][0-9]{6}$');

-- Where a person may be, as a key for private.calling_windows: 'KY/America/Chicago|KY/America/New_York'. The places of the ZIP code
-- come first, likeliest first. Those of the area code follow when none of them is a place of the ZIP code, because then the person may
-- have moved or mistyped. Takes any text and never fails.
create function private.place_of(zip_code text, phone text) returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  zip text := private.zip_in(zip_code);
  by_zip text[];
  by_phone text[];
begin
  select array_agg(z.place order by z.rank) into by_zip from private.zip_places z where z.prefix = zip;
  if by_zip is null then
    select array_agg(z.place order by z.rank) into by_zip from private.zip_places z where z.prefix = left(zip, 3);
  end if;
  by_zip := coalesce(by_zip, array['unknown/America/New_York']);
  select array_agg(a.place order by a.rank) into by_phone
  from private.area_codes a where a.area_code = private.area_code_in(phone);
  if by_phone is null or by_phone && by_zip then
    return array_to_string(by_zip, '|');
  end if;
  return array_to_string(by_zip || by_phone, '|');
end $$;

revoke execute on function
  private.without_inland_zero, private.with_plus, private.digits_of_run, private.parts_of_run, private.phone_numbers, private.phone_digits, private.area_code_in, private.place_of
from public;
