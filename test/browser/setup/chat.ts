import type { Locator, Page } from 'playwright-core';

/** The parts of the chat page. */
export const messageField = (page: Page): Locator => page.getByRole('textbox', { name: 'Message' });
export const answers = (page: Page): Locator => page.getByRole('article', { name: 'Answer' });
export const conversationList = (page: Page): Locator =>
  page.getByRole('region', { name: 'Conversations' });

export async function send(page: Page, text: string): Promise<void> {
  await messageField(page).fill(text);
  await messageField(page).press('Enter');
}

/** Waits until the newest answer is complete. */
export async function answered(page: Page, count: number): Promise<void> {
  await page
    .locator(`article[aria-label="Answer"][aria-busy="false"]`)
    .nth(count - 1)
    .waitFor();
}

/** Sends a message and waits for its answer, the `count`th of the shown branch. */
export async function say(page: Page, text: string, count: number): Promise<void> {
  await send(page, text);
  await answered(page, count);
}
