import type { Page } from 'playwright-core';
import { docxOf, paragraph } from '../../../setup/documents/office-file.ts';
import { picture } from '../../../setup/models/picture.ts';
import { answered, answers, handFile, messageField, send } from '../../setup/chat.ts';
import { pdfOf } from '../../../setup/documents/pdf-file.ts';
import { button, type EverydayJob } from './everyday-job.ts';

const branches = (page: Page) => page.getByRole('group', { name: 'Branches' });

async function attach(page: Page, name: string, buffer: Buffer, mimeType = ''): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await button(page, 'Attach images and documents').click();
  await (await chooser).setFiles({ name, mimeType, buffer });
  await button(page, `Remove ${name}`).waitFor();
}

const redPicture = async () => {
  const [, base64 = ''] = (await picture('red')).split(',');
  return Buffer.from(base64, 'base64');
};

/** Jobs with messages and answers. */
export const chatJobs: readonly EverydayJob[] = [
  {
    name: 'Start a new chat',
    run: async ({ page }) => {
      await page.getByRole('link', { name: 'New chat' }).click();
      await page.getByRole('heading', { name: 'What would you like to know?' }).waitFor();
    },
  },
  {
    name: 'Ask',
    run: async ({ page }) => {
      await page.keyboard.type('Hi');
      await page.keyboard.press('Enter');
      await answered(page, 2);
    },
  },
  {
    name: 'Stop the answer',
    prepare: async ({ page }) => {
      const text = 'Never '.repeat(2000);
      await send(page, JSON.stringify([{ text, tokensPerSecond: 20 }]));
      await answers(page).getByText('Never').first().waitFor();
    },
    run: async ({ page }) => {
      await button(page, 'Stop the answer').click();
      await page.getByText('The answer was interrupted.').waitFor();
    },
  },
  {
    name: 'Copy an answer',
    run: async ({ page }) => {
      await answers(page).getByRole('button', { name: 'Copy', exact: true }).click();
      await answers(page).getByRole('button', { name: 'Copied' }).waitFor();
    },
  },
  {
    name: 'Copy a code block',
    run: async ({ page }) => {
      await button(page, 'Copy the code').first().click();
      await answers(page).getByRole('button', { name: 'Copied' }).waitFor();
    },
  },
  {
    name: 'Regenerate',
    run: async ({ page }) => {
      await button(page, 'Regenerate').click();
      await branches(page).getByText('2/2').waitFor();
      await answered(page, 1);
    },
  },
  {
    name: 'Edit a question',
    run: async ({ page }) => {
      await button(page, 'Edit').click();
      await page.keyboard.type('!');
      await page.keyboard.press('Enter');
      await branches(page).getByText('2/2').waitFor();
      await answered(page, 1);
    },
  },
  {
    name: 'Edit an answer',
    run: async ({ page }) => {
      await button(page, 'Edit the answer').click();
      await page.keyboard.type('Changed. ');
      await page.keyboard.press('Control+Enter');
      await answers(page).locator('.markdown').getByText('Changed.').waitFor();
    },
  },
  {
    name: 'Continue an answer',
    run: async ({ page }) => {
      await button(page, 'Continue').click();
      await branches(page).getByText('2/2').waitFor();
      await answered(page, 1);
    },
  },
  {
    name: 'Switch the branch',
    prepare: async ({ page }) => {
      await button(page, 'Regenerate').click();
      await branches(page).getByText('2/2').waitFor();
      await answered(page, 1);
    },
    run: async ({ page }) => {
      await button(page, 'Previous branch').click();
      await branches(page).getByText('1/2').waitFor();
    },
  },
  {
    name: 'Regenerate with another model',
    run: async ({ page }) => {
      await button(page, 'Answer with another model').click();
      await page.getByRole('menuitem', { name: 'starter-vision' }).click();
      await answers(page).getByText('starter-vision', { exact: true }).waitFor();
      await answered(page, 1);
    },
  },
  {
    name: "Switch the chat's model",
    run: async ({ page }) => {
      await button(page, /^Choose a model/).click();
      await page.getByRole('option', { name: /starter-vision/ }).click();
      await button(page, 'Choose a model: hearth/starter-vision').waitFor();
    },
  },
  {
    name: 'Attach a picture',
    run: async ({ page }) => attach(page, 'red.png', await redPicture(), 'image/png'),
  },
  {
    name: 'Paste a picture',
    run: async ({ page }) => {
      await handFile(page, 'paste', {
        name: 'red.png',
        type: 'image/png',
        content: await redPicture(),
      });
      await button(page, 'Remove red.png').waitFor();
    },
  },
  {
    name: 'Attach a PDF',
    run: ({ page }) => attach(page, 'tides.pdf', pdfOf(['High water is at noon.'])),
  },
  {
    name: 'Attach a Word document',
    run: ({ page }) => attach(page, 'tides.docx', docxOf(paragraph('High water is at noon.'))),
  },
  {
    name: 'Turn a long paste into a file',
    run: async ({ page }) => {
      await messageField(page).evaluate((field) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', 'High water. '.repeat(600));
        const init = { bubbles: true, cancelable: true, clipboardData };
        field.dispatchEvent(new ClipboardEvent('paste', init));
      });
      await button(page, 'Remove Pasted text.txt').waitFor();
    },
  },
];
