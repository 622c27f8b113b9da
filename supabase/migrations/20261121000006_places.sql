-- Where a person may be, by the ZIP code that they typed: a state and one of its time zones. A ZIP code on a zone's border is in several
-- places.

-- The places. `place` is the name of a place, such as KY/America/Chicago; a place key is one or several of these names with | between them.
create table private.places (
  place text primary key generated always as (state || '/' || zone) stored,
  state text not null references private.calling_rules,
  zone text not null
);

-- A place for each zone that a part of a state keeps, by law or by custom (Phenix City, Alabama; Hyder, Alaska; the Navajo Nation).
insert into private.places (state, zone)
select unnest(string_to_array(states, ' ')), zone
from (values
  -- Where nothing is known, the East's clocks count.
  ('America/New_York', 'unknown'),
  ('America/Adak', 'AK'),
  ('America/Anchorage', 'AK'),
  ('America/Chicago', 'AA AL AR FL IA IL IN KS KY LA MI MN MO MS ND NE OK SD TN TX WI'),
  ('America/Denver', 'AZ CO ID KS MT ND NE NM NV OK OR SD TX UT WY'),
  ('America/Los_Angeles', 'AK CA ID NV OR WA'),
  ('America/New_York', 'AA AL CT DC DE FL GA IN KY MA MD ME MI NC NH NJ NY OH PA RI SC TN VA VT WV'),
  ('America/Phoenix', 'AZ'),
  ('America/Puerto_Rico', 'AA PR VI'),
  ('America/Sao_Paulo', 'AA'),
  ('Asia/Riyadh', 'AE'),
  ('Asia/Singapore', 'AP'),
  ('Asia/Tokyo', 'AP'),
  ('Atlantic/Azores', 'AE'),
  ('Europe/Berlin', 'AE'),
  ('Europe/London', 'AE'),
  ('Pacific/Guadalcanal', 'FM'),
  ('Pacific/Guam', 'AP GU MP'),
  ('Pacific/Honolulu', 'HI'),
  ('Pacific/Majuro', 'MH'),
  ('Pacific/Pago_Pago', 'AS'),
  ('Pacific/Palau', 'PW'),
  ('Pacific/Port_Moresby', 'FM'),
  ('Pacific/Wake', 'HI')
) as zones (zone, states);

-- The places of a ZIP code by its first three digits, or by all five where it has other places than those. The likeliest comes first.
create table private.zip_places (
  prefix text,
  place text references private.places,
  rank smallint not null,
  primary key (prefix, place),

  constraint prefix_has_three_or_five_digits check (prefix ~ '^([0-9]{3}|[0-9]{5})$')
);

insert into private.zip_places (prefix, place, rank)
select prefix, place, rank
from (values
  ('AA/America/New_York|AA/America/Chicago|AA/America/Puerto_Rico|AA/America/Sao_Paulo', '340'),
  ('AE/Europe/Berlin|AE/Europe/London|AE/Atlantic/Azores|AE/Asia/Riyadh', '090 091 092 093 094 095 096 097 098'),
  ('AK/America/Adak', '99546 99547'),
  ('AK/America/Anchorage', '995 996 997 998 999'),
  ('AK/America/Anchorage|AK/America/Los_Angeles', '99923'),
  ('AL/America/Chicago', '
    350 351 352 354 355 356 357 358 359 360 361 362 363 364 365 366 367 369 36801 36802 36803 36804 36830 36831
    36832 36849 36853 36861 36862 36866 36879'),
  ('AL/America/Chicago|AL/America/New_York', '368'),
  ('AP/Asia/Tokyo|AP/Asia/Singapore|AP/Pacific/Guam', '962 963 964 965 966'),
  ('AR/America/Chicago', '716 717 718 719 720 721 722 723 724 725 726 727 728 729'),
  ('AR/America/Chicago|LA/America/Chicago', '71749'),
  ('AR/America/Chicago|MO/America/Chicago', '72643 72644'),
  ('AR/America/Chicago|OK/America/Chicago', '71937 71953'),
  ('AR/America/Chicago|TN/America/Chicago', '72338'),
  ('AS/Pacific/Pago_Pago', '96799'),
  ('AZ/America/Denver|AZ/America/Phoenix', '
    865 86003 86016 86020 86031 86033 86034 86035 86045 86053 86054 86510 86512 86520'),
  ('AZ/America/Phoenix|AZ/America/Denver', '86040 86047'),
  ('AZ/America/Denver|AZ/America/Phoenix|NM/America/Denver', '86504 86515'),
  ('AZ/America/Denver|AZ/America/Phoenix|UT/America/Denver', '86044'),
  ('AZ/America/Denver|AZ/America/Phoenix|UT/America/Denver|NM/America/Denver', '86514'),
  ('AZ/America/Phoenix', '850 851 852 853 855 856 857 859 860 863 864'),
  ('AZ/America/Phoenix|AZ/America/Denver', '
    85534 85632 85922 85936 86004 86021 86023 86028 86030 86032 86036 86039 86432 86502'),
  ('CA/America/Los_Angeles', '
    900 901 902 903 904 905 906 907 908 910 911 912 913 914 915 916 917 918 919 920 921 922 923 924 925 926 927 928
    930 931 932 933 934 935 936 937 938 939 940 941 942 943 944 945 946 947 948 949 950 951 952 953 954 955 956 957
    958 959 960 961'),
  ('CO/America/Denver', '800 801 802 803 804 805 806 807 808 809 810 811 812 813 814 815 816'),
  ('CO/America/Denver|NE/America/Denver', '80737 80758'),
  ('CO/America/Denver|NM/America/Denver', '81120 81137'),
  ('CO/America/Denver|UT/America/Denver', '81324'),
  ('CT/America/New_York', '060 061 062 063 064 065 066 067 068 069'),
  ('DC/America/New_York', '200 202 203 204 205 569'),
  ('DE/America/New_York', '197 198 199'),
  ('FL/America/Chicago', '324 325'),
  ('FL/America/Chicago|FL/America/New_York', '32410 32423 32424 32449 32460 32465'),
  ('FL/America/New_York', '
    320 321 322 323 326 327 328 329 330 331 332 333 334 335 336 337 338 339 341 342 344 346 347 349'),
  ('FL/America/New_York|FL/America/Chicago', '32320 32321 32328 32456 32457'),
  ('FM/Pacific/Guadalcanal', '96941 96944'),
  ('FM/Pacific/Port_Moresby', '96942 96943'),
  ('GA/America/New_York', '300 301 302 303 304 305 306 307 308 309 310 311 312 313 314 315 316 317 318 319 398 399'),
  ('GU/Pacific/Guam', '969'),
  ('HI/Pacific/Honolulu', '967 968'),
  ('HI/Pacific/Wake|HI/Pacific/Honolulu', '96898'),
  ('IA/America/Chicago', '
    500 501 502 503 504 505 506 507 508 509 510 511 512 513 514 515 516 520 521 522 523 524 525 526 527 528'),
  ('IA/America/Chicago|MN/America/Chicago', '51360'),
  ('IA/America/Chicago|MO/America/Chicago', '51640 52542 52573 52626'),
  ('IA/America/Chicago|NE/America/Chicago', '51557'),
  ('IA/America/Chicago|SD/America/Chicago', '51001 51023'),
  ('ID/America/Denver', '832 833 834 836 837 83547'),
  ('ID/America/Denver|ID/America/Los_Angeles', '83302 83522 83542 83549 83610 83611 83672'),
  ('ID/America/Denver|UT/America/Denver', '83312 83342'),
  ('ID/America/Los_Angeles', '835 838'),
  ('ID/America/Los_Angeles|ID/America/Denver', '83525 83554 83555 83802 83811 83826 83836 83845 83846 83874'),
  ('ID/America/Los_Angeles|WA/America/Los_Angeles', '83856'),
  ('IL/America/Chicago', '
    600 601 602 603 604 605 606 607 608 609 610 611 612 613 614 615 616 617 618 619 620 622 623 624 625 626 627 628
    629'),
  ('IN/America/Chicago', '
    463 464 476 477 46532 46534 47514 47520 47525 47531 47536 47537 47550 47551 47552 47556 47574 47576 47579 47586
    47588 47922 47943 47963 47964 47978'),
  ('IN/America/Chicago|IN/America/New_York', '
    46365 46366 46371 46374 46531 47515 47523 47577 47619 47640 47649 47660 47666 47948 47951 47977'),
  ('IN/America/New_York', '460 461 462 465 466 467 468 469 470 471 472 473 474 475 478 479'),
  ('IN/America/New_York|IN/America/Chicago', '
    46511 46513 46552 46554 46574 46960 46968 47137 47174 47524 47532 47541 47561 47584 47585 47591 47831 47847
    47849 47861 47875 47917 47942 47946 47957 47959 47974 47982 47995'),
  ('KS/America/Chicago', '660 661 662 664 665 666 667 668 669 670 671 672 673 674 675 676 677 678 679'),
  ('KS/America/Chicago|KS/America/Denver', '67732 67756 67862'),
  ('KS/America/Chicago|NE/America/Chicago', '66541 66955'),
  ('KS/America/Chicago|OK/America/Chicago', '67950'),
  ('KS/America/Denver', '67735 67741 67758 67762 67836 67878'),
  ('KS/America/Denver|KS/America/Chicago', '67733 67761 67857 67879'),
  ('KY/America/Chicago', '420 421 422 423 424 427 40111 40119 40140 40143 40144 40146 40152 40153 40170 40178'),
  ('KY/America/Chicago|KY/America/New_York', '
    40115 40145 40171 40176 42629 42642 42712 42713 42720 42726 42728 42743 42753 42757 42764'),
  ('KY/America/Chicago|TN/America/Chicago', '42223 42602'),
  ('KY/America/New_York', '
    400 401 402 403 404 405 406 407 408 409 410 411 412 413 414 415 416 417 418 425 426 42701 42702 42719 42724
    42732 42733 42740 42748 42758 42776'),
  ('KY/America/New_York|KY/America/Chicago', '40142 40175 42528 42539 42544 42565 42603 42716 42718 42784 42788'),
  ('LA/America/Chicago', '700 701 703 704 705 706 707 708 710 711 712 713 714'),
  ('MA/America/New_York', '010 011 012 013 014 015 016 017 018 019 020 021 022 023 024 025 026 027 055'),
  ('MD/America/New_York', '206 207 208 209 210 211 212 214 215 216 217 218 219 20588'),
  ('ME/America/New_York', '039 040 041 042 043 044 045 046 047 048 049'),
  ('MH/Pacific/Majuro', '96960 96970'),
  ('MI/America/Chicago', '
    49801 49802 49812 49821 49831 49847 49848 49852 49858 49863 49870 49873 49874 49876 49881 49886 49887 49892
    49893 49902 49911 49915 49920 49927 49935 49938 49959 49964 49968'),
  ('MI/America/Chicago|MI/America/New_York', '49815 49834 49845 49877 49896 49903 49947 49969'),
  ('MI/America/New_York', '480 481 482 483 484 485 486 487 488 489 490 491 492 493 494 495 496 497 498 499'),
  ('MI/America/New_York|MI/America/Chicago', '49113 49117 49807 49818 49841 49879 49925 49961 49967'),
  ('MN/America/Chicago', '550 551 553 554 555 556 557 558 559 560 561 562 563 564 565 566 567'),
  ('MN/America/Chicago|ND/America/Chicago', '56744'),
  ('MN/America/Chicago|SD/America/Chicago', '56144 56164 56219'),
  ('MO/America/Chicago', '
    630 631 633 634 635 636 637 638 639 640 641 644 645 646 647 648 649 650 651 652 653 654 655 656 657 658'),
  ('MO/America/Chicago|AR/America/Chicago', '65729 65733 65761'),
  ('MO/America/Chicago|IL/America/Chicago', '63673'),
  ('MP/Pacific/Guam', '96950 96951 96952'),
  ('MS/America/Chicago', '386 387 388 389 390 391 392 393 394 395 396 397'),
  ('MT/America/Denver', '590 591 592 593 594 595 596 597 598 599'),
  ('MT/America/Denver|ID/America/Denver|ID/America/Los_Angeles', '59847'),
  ('MT/America/Denver|ND/America/Denver', '59270'),
  ('MT/America/Denver|ND/America/Denver|ND/America/Chicago', '59221 59275'),
  ('NC/America/New_York', '270 271 272 273 274 275 276 277 278 279 280 281 282 283 284 285 286 287 288 289'),
  ('ND/America/Chicago', '580 581 582 583 584 585 587 588'),
  ('ND/America/Chicago|ND/America/Denver', '58520 58535 58538 58541 58568 58570 58631 58638 58757 58831 58845'),
  ('ND/America/Chicago|SD/America/Chicago', '58439'),
  ('ND/America/Denver', '586 58529 58533 58562 58564'),
  ('ND/America/Denver|ND/America/Chicago', '58569 58625 58634 58636 58640 58644 58652 58838'),
  ('ND/America/Denver|SD/America/Denver', '58623 58649 58653'),
  ('NE/America/Chicago', '
    680 681 683 684 685 686 687 688 689 690 692 69101 69103 69120 69123 69130 69132 69135 69138 69142 69143 69151
    69157 69163 69170 69171'),
  ('NE/America/Chicago|KS/America/Chicago', '68325 68327 68420 68943 68978 69026'),
  ('NE/America/Chicago|NE/America/Denver', '69040 69043 69165 69166 69167 69169'),
  ('NE/America/Chicago|NE/America/Denver|SD/America/Chicago|SD/America/Denver', '69201 69212'),
  ('NE/America/Chicago|SD/America/Chicago', '68719 68755'),
  ('NE/America/Denver', '691 693 69021 69023 69027 69030 69033 69041 69211 69218'),
  ('NE/America/Denver|CO/America/Denver', '69168'),
  ('NE/America/Denver|NE/America/Chicago', '69037 69045 69134 69155 69161 69219'),
  ('NE/America/Denver|NE/America/Chicago|SD/America/Denver|SD/America/Chicago', '69216'),
  ('NE/America/Denver|SD/America/Denver', '69337'),
  ('NH/America/New_York', '030 031 032 033 034 035 036 037 038'),
  ('NH/America/New_York|ME/America/New_York', '03579'),
  ('NJ/America/New_York', '070 071 072 073 074 075 076 077 078 079 080 081 082 083 084 085 086 087 088 089'),
  ('NM/America/Denver', '870 871 873 874 875 876 877 878 879 880 881 882 883 884'),
  ('NM/America/Denver|AZ/America/Denver|AZ/America/Phoenix', '87328'),
  ('NM/America/Denver|TX/America/Denver', '88063 88220'),
  ('NM/America/Denver|TX/America/Denver|TX/America/Chicago', '88430'),
  ('NV/America/Los_Angeles', '889 890 891 893 894 895 897 898'),
  ('NV/America/Los_Angeles|CA/America/Los_Angeles', '89010 89019 89060 89061 89439'),
  ('NV/America/Los_Angeles|NV/America/Denver', '89311 89825 89826 89830'),
  ('NV/America/Los_Angeles|NV/America/Denver|ID/America/Los_Angeles|ID/America/Denver', '89832'),
  ('NV/America/Denver|NV/America/Los_Angeles|UT/America/Denver', '89883'),
  ('NV/America/Los_Angeles|OR/America/Los_Angeles', '89421'),
  ('NY/America/New_York', '
    005 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126
    127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 06390'),
  ('OH/America/New_York', '
    430 431 432 433 434 435 436 437 438 439 440 441 442 443 444 445 446 447 448 449 450 451 452 453 454 455 456 457
    458 459'),
  ('OK/America/Chicago', '730 731 734 735 736 737 738 739 740 741 743 744 745 746 747 748 749'),
  ('OK/America/Chicago|OK/America/Denver', '73946'),
  ('OK/America/Chicago|TX/America/Chicago', '73949'),
  ('OR/America/Denver', '979'),
  ('OR/America/Denver|ID/America/Denver', '97910 97913'),
  ('OR/America/Denver|OR/America/Los_Angeles', '97903 97908 97909 97911 97917'),
  ('OR/America/Los_Angeles', '970 971 972 973 974 975 976 977 978 97905'),
  ('OR/America/Los_Angeles|CA/America/Los_Angeles', '97635'),
  ('OR/America/Los_Angeles|OR/America/Denver', '97721 97732 97819 97837 97840 97842 97870 97904 97907'),
  ('PA/America/New_York', '
    150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177
    178 179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196'),
  ('PR/America/Puerto_Rico', '006 007 009'),
  ('PW/Pacific/Palau', '96939 96940'),
  ('RI/America/New_York', '028 029'),
  ('RI/America/New_York|MA/America/New_York', '02861'),
  ('SC/America/New_York', '290 291 292 293 294 295 296 297 298 299'),
  ('SD/America/Chicago', '570 571 572 573 574 575 57632 57646'),
  ('SD/America/Chicago|SD/America/Denver', '57420 57442 57501 57521 57560 57562 57566 57572 57631 57648'),
  ('SD/America/Denver', '576 577 57537 57543 57547 57551 57553 57567 57577'),
  ('SD/America/Denver|SD/America/Chicago', '57532 57552 57574 57601 57641 57658 57659'),
  ('SD/America/Denver|WY/America/Denver|MT/America/Denver', '57717'),
  ('TN/America/Chicago', '370 371 372 373 375 380 381 382 383 384 385 37723'),
  ('TN/America/Chicago|KY/America/Chicago', '38549'),
  ('TN/America/Chicago|TN/America/New_York', '37338 37367 37377 37396 37419 38504 38577'),
  ('TN/America/New_York', '
    374 376 377 378 379 37302 37303 37304 37307 37308 37309 37310 37311 37312 37314 37315 37316 37317 37320 37322
    37323 37325 37326 37329 37331 37333 37336 37341 37343 37350 37351 37353 37354 37361 37362 37363 37364 37369
    37370 37371 37384 37385 37391'),
  ('TN/America/New_York|TN/America/Chicago', '37321 37332 37337 37373 37379 37381 37405 37726 37733 37854'),
  ('TX/America/Chicago', '
    733 750 751 752 753 754 755 756 757 758 759 760 761 762 763 764 765 766 767 768 769 770 772 773 774 775 776 777
    778 779 780 781 782 783 784 785 786 787 788 789 790 791 792 793 794 795 796 797 798 73960'),
  ('TX/America/Chicago|AR/America/Chicago', '75556'),
  ('TX/America/Chicago|TX/America/Denver', '79001 79087 79314 79323 79325 79344 79355 79770 79855'),
  ('TX/America/Denver', '799 885 79821 79836 79838 79839 79849 79851 79853'),
  ('TX/America/Denver|NM/America/Denver', '79835 79837 79922'),
  ('TX/America/Denver|TX/America/Chicago', '79847'),
  ('UT/America/Denver', '840 841 842 843 844 845 846 847'),
  ('UT/America/Denver|AZ/America/Denver|AZ/America/Phoenix', '84531 84536'),
  ('UT/America/Denver|NV/America/Denver|NV/America/Los_Angeles', '84034'),
  ('VA/America/New_York', '
    201 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243 244 245 246
    20598'),
  ('VA/America/New_York|WV/America/New_York', '20135 24604'),
  ('VI/America/Puerto_Rico', '008'),
  ('VT/America/New_York', '050 051 052 053 054 056 057 058 059'),
  ('WA/America/Los_Angeles', '980 981 982 983 984 985 986 988 989 990 991 992 993 994'),
  ('WA/America/Los_Angeles|ID/America/Los_Angeles', '99033 99128'),
  ('WI/America/Chicago', '530 531 532 534 535 537 538 539 540 541 542 543 544 545 546 547 548 549'),
  ('WI/America/Chicago|MI/America/Chicago', '54540'),
  ('WV/America/New_York', '247 248 249 250 251 252 253 254 255 256 257 258 259 260 261 262 263 264 265 266 267 268'),
  ('WY/America/Denver', '820 821 822 823 824 825 826 827 828 829 830 831 83414'),
  ('WY/America/Denver|CO/America/Denver', '82063'),
  ('WY/America/Denver|ID/America/Denver', '83120 83127'),
  ('WY/America/Denver|MT/America/Denver', '82801'),
  ('WY/America/Denver|NE/America/Denver|CO/America/Denver', '82082'),
  ('WY/America/Denver|SD/America/Denver', '82701'),
  ('WY/America/Denver|UT/America/Denver', '82930')
) as listed (places, prefixes)
cross join lateral unnest(string_to_array(places, '|')) with ordinality as p (place, rank)
cross join lateral regexp_split_to_table(btrim(prefixes, e' \n'), '\s+') as prefix;

-- Reference data. No policy and no grant: only functions of the owner read it.
alter table private.places enable row level security;
alter table private.zip_places enable row level security;
revoke all on private.places, private.zip_places from public, anon, leads_intake, leads_delivery, leads_team;

-- Turns the digits of other scripts, and characters of full width, into those of ASCII, and also the usual blanks, dashes, commas, semicolons,
-- brackets, plus and at signs. Removes the usual invisible characters, and what makes a digit a picture of a key.
create function private.folded_to_ascii(typed text) returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  -- The 0 of each script whose ten digits follow each other in Unicode (category Nd), in ascending order for width_bucket. The digits of
  -- full width are not among them, because they are converted with the other characters of full width.
  zeros constant integer[] := array[
    1632, 1776, 1984, 2406, 2534, 2662, 2790, 2918, 3046, 3174, 3302, 3430, 3558, 3664, 3792, 3872, 4160, 4240, 6112, 6160, 6470,
    6608, 6784, 6800, 6992, 7088, 7232, 7248, 42528, 43216, 43264, 43472, 43504, 43600, 44016, 66720, 68912, 68928, 69734, 69872,
    69942, 70096, 70384, 70736, 70864, 71248, 71360, 71376, 71386, 71472, 71904, 72016, 72688, 72784, 73040, 73120, 73184, 73552,
    90416, 92768, 92864, 93008, 93552, 118000, 120782, 120792, 120802, 120812, 120822, 123200, 123632, 124144, 124401, 125264,
    130032
  ];
  blanks constant text := e'\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u2800\u3000';
  dashes constant text := e'\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63';
  signs constant text := e'\u060c\u3001\u061b\ufe59\ufe5a\ufe62\ufe6b';
begin
  -- Not by translate as well, which compares each character with the whole list.
  typed := regexp_replace(
    typed, '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20e3\u3164\ufe00-\ufe0f\ufeff\uffa0]', '', 'g'
  );
  typed := translate(typed, blanks || dashes || signs, repeat(' ', length(blanks)) || repeat('-', length(dashes)) || ',,;()+@');
  return (
    select coalesce(string_agg(
      case
        when code between 65281 and 65374 then chr(code - 65248)
        when code - zeros[width_bucket(code, zeros)] <= 9 then chr(48 + code - zeros[width_bucket(code, zeros)])
        else character
      end, '' order by nth
    ), '')
    from string_to_table(typed, null) with ordinality as c (character, nth)
    cross join lateral (select ascii(character) as code) as n
  );
end $$;

-- What was typed, as the digits and signs of ASCII where it has others: a phone number or ZIP code is the same in the digits of any script,
-- of full width, and with the usual dashes. For reading alone: what was typed stays stored and shown. This reads each lead, so
-- ASCII text, and almost every name with an accent, is returned at once.
create function private.in_ascii(typed text) returns text
language sql immutable parallel safe
return case
  when octet_length(typed) = length(typed) or typed !~ '[^\u0001-\u009f\u00a1-\u00ac\u00ae-\u034e\u0350-\u05ff]' then typed
  else private.folded_to_ascii(typed)
end;

-- The ZIP code in what was typed, when there is one and no other number: 33101, 33101-1234, 33101 - 1234, FL 33101. Null otherwise.
create function private.zip_in(typed text) returns text
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
return substring(private.in_ascii(typed) from '^[^0-9]*([0-9]{5})(?: ?-? ?[0-9]{4})?[^0-9]*$');

revoke execute on function private.folded_to_ascii, private.in_ascii, private.zip_in from public;
