// What a visitor does with the form, found as a person finds it: by label and by role.
import type { Page } from "playwright-core";
import type { Lead } from "../../lead/lead.ts";

export async function fillIn(page: Page, lead: Lead): Promise<void> {
  await page.getByLabel("Full Name *").fill(lead.name);
  await page.getByLabel("Email Address *").fill(lead.email);
  await page.getByLabel("Phone Number *").fill(lead.phone);
  await page.getByLabel("ZIP Code *").fill(lead.zip_code);
  await page.getByLabel("I have Medicare").setChecked(lead.has_medicare);
  await page.getByLabel("I have been diagnosed with diabetes").setChecked(lead.has_diabetes);
}

/** Resolves when the script has hydrated the form. A press before that posts the form plainly, to another address than the script's. */
export const formReady = (page: Page): Promise<unknown> =>
  page.locator("#lead-form[data-ready]").waitFor({ state: "attached" });

export const submit = (page: Page): Promise<void> =>
  page.getByRole("button", { name: "Check Your Eligibility Now" }).click();
