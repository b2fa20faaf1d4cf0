import type { Page } from 'playwright-core';

/** An everyday job in the web app, which begins in a chat with one answer. */
export interface EverydayJob {
  /** Its row in docs/contributing/everyday-jobs.md. */
  readonly name: string;
  /** Makes what the job needs, before clicks and seconds count. */
  readonly prepare?: (chat: OpenChat) => Promise<unknown>;
  /** Does the job as a user would, and waits for its result. */
  readonly run: (chat: OpenChat) => Promise<unknown>;
}

export interface OpenChat {
  readonly page: Page;
  readonly title: string;
  /** A number that no earlier job had. */
  readonly id: number;
}

export const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true });
