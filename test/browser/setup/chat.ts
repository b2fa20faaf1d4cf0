import type { Locator, Page } from 'playwright-core';

/** Elements of the chat page. */
export const messageField = (page: Page): Locator => page.getByRole('textbox', { name: 'Message' });
export const answers = (page: Page): Locator => page.getByRole('article', { name: 'Answer' });
export const conversationList = (page: Page): Locator =>
  page.getByRole('region', { name: 'Conversations' });

export async function send(page: Page, text: string): Promise<void> {
  await messageField(page).fill(text);
  await messageField(page).press('Enter');
}

/** Waits until the newest answer is complete and the next message may be sent. */
export async function answered(page: Page, count: number): Promise<void> {
  await page
    .locator(`article[aria-label="Answer"][aria-busy="false"]`)
    .nth(count - 1)
    .waitFor();
  await page.getByRole('button', { name: 'Stop the answer' }).waitFor({ state: 'hidden' });
}

/** Sends a message and waits for its answer, the `count`th of the shown branch. */
export async function say(page: Page, text: string, count: number): Promise<void> {
  await send(page, text);
  await answered(page, count);
}

interface HandedFile {
  readonly name: string;
  readonly type: string;
  readonly content: Buffer;
}

/** Drops a file on the page, or pastes it into the message. */
export async function handFile(
  page: Page,
  kind: 'drop' | 'paste',
  { name, type, content }: HandedFile,
): Promise<void> {
  await messageField(page).evaluate(
    (field, handed) => {
      const bytes = Uint8Array.from(atob(handed.base64), (each) => each.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], handed.name, { type: handed.type }));
      const init = { bubbles: true, cancelable: true };
      if (handed.kind === 'drop') {
        document.body.dispatchEvent(new DragEvent('drop', { ...init, dataTransfer: data }));
      } else {
        field.dispatchEvent(new ClipboardEvent('paste', { ...init, clipboardData: data }));
      }
    },
    { kind, name, type, base64: content.toString('base64') },
  );
}
