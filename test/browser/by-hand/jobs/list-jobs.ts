import { chatgptExport } from '../../../setup/conversations/app-exports.ts';
import { conversationList } from '../../setup/chat.ts';
import { button, type EverydayJob, type OpenChat } from './everyday-job.ts';

const row = ({ page, title }: OpenChat) =>
  conversationList(page).getByRole('link', { name: title, exact: true });
const projects = ({ page }: OpenChat) => page.getByRole('region', { name: 'Projects' });

async function act(chat: OpenChat, name: string): Promise<void> {
  await button(chat.page, `Actions for ${chat.title}`).click();
  await chat.page.getByRole('menuitem', { name }).click();
}

/** Jobs with the list of chats. */
export const listJobs: readonly EverydayJob[] = [
  {
    name: 'Rename a chat',
    run: async (chat) => {
      await act(chat, 'Rename');
      await chat.page.getByRole('dialog').getByLabel('Title').waitFor();
      await chat.page.keyboard.type(`Renamed ${chat.id}`);
      await chat.page.keyboard.press('Enter');
      await conversationList(chat.page).getByText(`Renamed ${chat.id}`).waitFor();
    },
  },
  {
    name: 'Pin a chat',
    run: async (chat) => {
      await act(chat, 'Pin');
      const pinned = chat.page.getByRole('region', { name: 'Pinned' });
      await pinned.getByRole('link', { name: chat.title, exact: true }).waitFor();
    },
  },
  {
    name: 'Archive a chat',
    run: async (chat) => {
      await act(chat, 'Archive');
      await row(chat).waitFor({ state: 'detached' });
    },
  },
  {
    name: 'Delete a chat',
    run: async (chat) => {
      await act(chat, 'Delete');
      await row(chat).waitFor({ state: 'detached' });
    },
  },
  {
    name: 'Undo a delete',
    prepare: (chat) => act(chat, 'Delete'),
    run: async (chat) => {
      await button(chat.page, 'Undo').click();
      await row(chat).waitFor();
    },
  },
  {
    name: 'Delete three chats at once',
    run: async ({ page }) => {
      await button(page, 'Select several chats').click();
      const boxes = conversationList(page).getByRole('checkbox');
      for (const index of [0, 1, 2]) await boxes.nth(index).click();
      await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('3 chats were deleted.').first().waitFor();
    },
  },
  {
    name: 'Search all chats, open a result',
    run: async (chat) => {
      const list = conversationList(chat.page);
      await list.getByRole('searchbox').click();
      await chat.page.keyboard.type('twice');
      await list.getByRole('region', { name: 'Results' }).getByRole('link').first().click();
      await chat.page.waitForURL(/find=/);
    },
  },
  {
    name: 'Find in the chat',
    run: async ({ page }) => {
      await button(page, 'Find in this chat').click();
      const bar = page.getByRole('search', { name: 'Find in this chat' });
      await bar.getByRole('searchbox').and(page.locator(':focus')).waitFor();
      await page.keyboard.type('twice');
      await bar.getByText('1 of 1').waitFor();
    },
  },
  {
    name: 'Start a temporary chat',
    run: async ({ page }) => {
      await page.getByRole('link', { name: 'New chat' }).click();
      await button(page, 'Temporary chat').click();
      await page.getByText('This chat is not listed', { exact: false }).waitFor();
    },
  },
  {
    name: 'Export one chat',
    run: async (chat) => {
      const download = chat.page.waitForEvent('download');
      await act(chat, 'Export as Markdown');
      await (await download).path();
    },
  },
  {
    name: 'Import chats',
    run: async ({ page, id }) => {
      await button(page, 'Import conversations').click();
      const chooser = page.waitForEvent('filechooser');
      await button(page, 'Choose a file').click();
      const chats = chatgptExport.map((chat) => ({ ...chat, conversation_id: `chat-${id}` }));
      const buffer = Buffer.from(JSON.stringify(chats));
      await (await chooser).setFiles({ name: 'a.json', mimeType: 'application/json', buffer });
      await button(page, 'Import').click();
      await page.getByText(/imported, with/).waitFor();
    },
  },
  {
    name: 'Make a project with instructions',
    run: async ({ page, id }) => {
      await button(page, 'New project').click();
      await page.getByRole('dialog').getByLabel('Name').waitFor();
      await page.keyboard.type(`Harbour ${id}`);
      await page.keyboard.press('Enter');
      await page.getByLabel('Instructions').click();
      await page.keyboard.type('Be brief.');
      await button(page, 'Save').click();
      await button(page, 'Save').and(page.locator(':disabled')).waitFor();
    },
  },
  {
    name: 'Move a chat to a project, by its menu',
    run: async (chat) => {
      await act(chat, 'Move to a project');
      await chat.page.getByRole('dialog').getByRole('button', { name: 'Sailing' }).first().click();
      await row(chat).waitFor({ state: 'detached' });
    },
  },
  {
    name: 'Move a chat to a project, by dragging',
    prepare: (chat) => projects(chat).getByRole('link', { name: 'Sailing' }).first().waitFor(),
    run: async (chat) => {
      await row(chat).dragTo(projects(chat).getByRole('link', { name: 'Sailing' }).first());
      await row(chat).waitFor({ state: 'detached' });
    },
  },
];
