-- The words by which an ad names itself in an address, cleaned in one place: for the counts, for the leads and for the costs.

-- A campaign's word as it is counted, from the value of utm_source, utm_medium or utm_campaign as it stands in an address, or from the
-- provider's own list of costs. Letters become small and lose their accents. Digits and . _ - remain. Blanks in a row become one blank, and
-- other characters in a row one hyphen; at most 60 in all. A + is a blank, as in an address. So is an encoded + (%2B), because a list of
-- costs has it plain. Blanks and . _ - are cut at both ends. A word with an @, or of the shape of a phone number or of an id of one click,
-- becomes "(removed)". That word stays as it is, and so does "(other)", the name under which loads of too many campaigns are counted.
create function private.clean_campaign_word(raw text) returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  word text := left(raw, 200);
  pass integer;
  part text;
  parts text[];
  code integer;
  digit_run text;
  digits text;
  kept text;
  rest text;
begin
  if word is null or word in ('', '(other)', '(removed)') then
    return coalesce(word, '');
  end if;
  -- What stands behind the last plain letter of a word that is cut goes, because a part of a phone number would not look like one.
  if length(word) = 200 then
    word := regexp_replace(word, '(%(25)?[0-9A-Fa-f]{0,2}|[^A-Za-z%])*$', '');
    if word = '' then
      part := regexp_replace(left(raw, 200), '%(25)?[0-9A-Fa-f]?$', '');
      return case when regexp_replace(part, '%(25)?[0-9A-Fa-f]{2}', '', 'g') ~ '[0-9]' then '(removed)' else '' end;
    end if;
  end if;
  -- The accents of Spanish and its neighbours, typed or percent-encoded as UTF-8.
  word := lower(translate(word, 'áàâãäéèêëíìîïóòôõöúùûüñçÁÀÂÃÄÉÈÊËÍÌÎÏÓÒÔÕÖÚÙÛÜÑÇ+', 'aaaaaeeeeiiiiooooouuuuncaaaaaeeeeiiiiooooouuuunc '));
  -- Twice, because some ad networks encode a value that is encoded already.
  for pass in 1..2 loop
    exit when strpos(word, '%') = 0;
    if strpos(word, '%c3%') > 0 then
      foreach part in array array[
        'a1a', 'a0a', 'a2a', 'a3a', 'a4a', 'a9e', 'a8e', 'aae', 'abe', 'adi', 'aci', 'aei', 'afi', 'b3o', 'b2o', 'b4o', 'b5o', 'b6o',
        'bau', 'b9u', 'bbu', 'bcu', 'b1n', 'a7c', '81a', '80a', '82a', '83a', '84a', '89e', '88e', '8ae', '8be', '8di', '8ci', '8ei', '8fi',
        '93o', '92o', '94o', '95o', '96o', '9au', '99u', '9bu', '9cu', '91n', '87c'
      ] loop
        word := replace(word, '%c3%' || left(part, 2), right(part, 1));
      end loop;
    end if;
    parts := string_to_array(word, '%');
    word := parts[1];
    foreach part in array parts[2:] loop
      if part ~ '^[0-9a-f]{2}' then
        code := get_byte(decode(left(part, 2), 'hex'), 0);
        word := word || case when code = 43 then ' ' when code between 32 and 126 then lower(chr(code)) else '~' end || substr(part, 3);
      else
        word := word || '-' || part;
      end if;
    end loop;
  end loop;
  if strpos(word, '@') > 0 then
    return '(removed)';
  end if;
  word := regexp_replace(word, '[^a-z0-9 ._-]+', '-', 'g');
  word := ltrim(regexp_replace(word, ' {2,}', ' ', 'g'), ' ._-');
  kept := left(word, 60);
  -- A number that the cut would divide goes, because what is left of an ad network's number may look like a phone number.
  if substr(word, 61, 1) between '0' and '9' then
    kept := regexp_replace(kept, '[0-9]+$', '');
  end if;
  kept := rtrim(kept, ' ._-');
  -- The whole word is looked at, because a part of something personal is personal as well; and what is kept, so that a second cleaning
  -- changes nothing.
  foreach part in array case when kept = word then array[word] else array[word, kept] end loop
    -- Seven digits or more are a phone number, with at most three characters, none a letter, between two of them. Not so the eight of
    -- a day such as 2026-11-21, nor 16 or more in one run, which are an ad network's number of a campaign. Such a number, and a day with the
    -- year first, are taken out before, because other digits may stand beside them.
    if length(translate(part, '0123456789', '')) <= length(part) - 7 then
      rest := regexp_replace(part, '[0-9]{16,}', 'x', 'g');
      rest := regexp_replace(rest, '(^|[^0-9])20[0-9]{2}-[01][0-9]-[0-3][0-9](?![0-9])', '\1x', 'g');
      for digit_run in select m[1] from regexp_matches(rest, '([0-9](?:[^0-9a-z]{0,3}[0-9])*)', 'g') as m loop
        digits := regexp_replace(digit_run, '[^0-9]', '', 'g');
        if length(digits) >= 7 and not (length(digits) = 8 and (digits like '20%' or right(digits, 4) like '20%')) then
          return '(removed)';
        end if;
      end loop;
    end if;
    -- A word of 20 characters or more in which a letter stands beside a digit in five pairs or more is an id of one click or of one person.
    if length(part) >= 20
      and length(part) - length(regexp_replace(part, '[a-z][0-9]|[0-9][a-z]', '', 'g')) >= 10 then
      return '(removed)';
    end if;
  end loop;
  return kept;
end $$;

revoke execute on function private.clean_campaign_word from public;
