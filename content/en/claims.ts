// The claims, in English.
import { claimsSaying } from "../claims.ts";

export const claims = claimsSaying({
  checksOften: "It checks your sugar every few minutes, day and night.",
  worn: "It sticks to your skin, on your belly or your arm.",
  underTheSkin: "A tiny part of it sits just under your skin.",
  changedOften: "You put on a new one at set times, such as every few weeks. It depends on the kind.",
  readsFluid:
    "The sensor reads the sugar in the fluid under your skin. Then it sends the number through the air to your reader.",
  anyTime: "You can look at your number at any time. You can also see how it changed over hours or days.",
  alarm: "An alarm can sound if you go too low or too high.",
  fingerSticks:
    "You may still need a finger-stick now and then. With some kinds you need one each time before you change your insulin.",
  canFail:
    "Sensors and alarms can fail. In 2025 some readers were recalled, because their speakers could stay silent. In early 2026 some sensors were recalled, because they could read too low. With those sensors there were reports of 860 injuries and 7 deaths. So test the sound, and check with a finger-stick when the number does not match how you feel.",
  lessTimeLow:
    "One study looked at 203 adults with type 1 diabetes, all 60 or older. Those who used a CGM went from about 5 percent of the day with low sugar to under 3 percent. For the others it stayed near 5 percent. The study did not look at type 2. Your own results may differ.",
  keepsTrack: "A CGM keeps track of your numbers over time.",
  sharing: "Some kinds can also send your numbers to a person you trust, such as your partner.",
  partB:
    "Medicare Part B may cover a CGM as durable medical equipment. That is Medicare’s name for health gear that lasts and that you use at home.",
  hasDiabetes: "You have diabetes, type 1 or type 2.",
  insulinOrLows: "You use insulin, or you have had serious trouble with low blood sugar.",
  ordered: "Your doctor orders the CGM for you.",
  trained: "You, or someone who helps you, know how to use it.",
  visit:
    "You saw your doctor about it in the 6 months before the order. Then you go once every 6 months to keep the coverage.",
  telehealth:
    "A telehealth visit that Medicare accepts counts too. Such visits from home are, as a rule, covered until December 31, 2027.",
  usualNeeds:
    "Medicare most often asks that you use insulin, or have had serious trouble with low blood sugar. It also asks for a doctor’s order.",
  shareAccepted:
    "First you meet the Part B deductible for the year. After that, you pay 20 percent of the amount that Medicare approves. We take that amount as full pay. Medicare calls this “assignment.”",
  shareNotAccepted:
    "First you meet the Part B deductible for the year. After that, you pay 20 percent of the amount that Medicare approves, if your supplier takes that amount as full pay. Medicare calls this “assignment.” We do not take it, so with us you may pay more. Ask us how much.",
  shareUnknown:
    "First you meet the Part B deductible for the year. After that, you pay 20 percent of the amount that Medicare approves, if your supplier takes that amount as full pay. Medicare calls this “assignment.” Ask us if we do.",
  receiver:
    "Medicare pays for the sensors only if you use a reader at least some of the time. An insulin pump that shows the numbers counts as one. You may use a phone as well, but a phone alone is not enough.",
  overTheCounter: "Sensors that are sold without a prescription are not part of this.",
  contractSuppliers:
    "The rules will change by January 1, 2028. Medicare will then pay rent for a CGM by the month, to suppliers with a national contract. You may have to change to one of them.",
});
