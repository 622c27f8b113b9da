// The names of the states, worded so that they can follow "in" in a sentence (a military address follows "at"); and the list from which a
// member chooses a state. The table private.calling_rules has the same names; spec/calling-hours-in-words.spec.ts compares the two.

/** The name of each state code that a place can have; `unknown` is one of them. */
export const stateNames: Readonly<Record<string, string>> = {
  AA: "a military address in the Americas",
  AE: "a military address in Europe",
  AK: "Alaska",
  AL: "Alabama",
  AP: "a military address in the Pacific",
  AR: "Arkansas",
  AS: "American Samoa",
  AZ: "Arizona",
  CA: "California",
  CO: "Colorado",
  CT: "Connecticut",
  DC: "the District of Columbia",
  DE: "Delaware",
  FL: "Florida",
  FM: "Micronesia",
  GA: "Georgia",
  GU: "Guam",
  HI: "Hawaii",
  IA: "Iowa",
  ID: "Idaho",
  IL: "Illinois",
  IN: "Indiana",
  KS: "Kansas",
  KY: "Kentucky",
  LA: "Louisiana",
  MA: "Massachusetts",
  MD: "Maryland",
  ME: "Maine",
  MH: "the Marshall Islands",
  MI: "Michigan",
  MN: "Minnesota",
  MO: "Missouri",
  MP: "the Northern Mariana Islands",
  MS: "Mississippi",
  MT: "Montana",
  NC: "North Carolina",
  ND: "North Dakota",
  NE: "Nebraska",
  NH: "New Hampshire",
  NJ: "New Jersey",
  NM: "New Mexico",
  NV: "Nevada",
  NY: "New York",
  OH: "Ohio",
  OK: "Oklahoma",
  OR: "Oregon",
  PA: "Pennsylvania",
  PR: "Puerto Rico",
  PW: "Palau",
  RI: "Rhode Island",
  SC: "South Carolina",
  SD: "South Dakota",
  TN: "Tennessee",
  TX: "Texas",
  UT: "Utah",
  VA: "Virginia",
  VI: "the Virgin Islands",
  VT: "Vermont",
  WA: "Washington",
  WI: "Wisconsin",
  WV: "West Virginia",
  WY: "Wyoming",
  unknown: "an unknown state",
};

const nameAlone = (name: string) => {
  const bare = name.replace(/^(?:an?|the) /, "");
  return `${bare.slice(0, 1).toUpperCase()}${bare.slice(1)}`;
};

/** The code and the name of each state that a member can choose, in the alphabetical order of the names. */
export const stateChoices: readonly (readonly [code: string, name: string])[] = Object.entries(stateNames)
  .filter(([code]) => code !== "unknown")
  .map(([code, name]) => [code, nameAlone(name)] as const)
  .sort(([, one], [, other]) => one.localeCompare(other, "en"));
