import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

/** Debian's Chromium, or the browser that the variable names. */
export const chromiumPath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** A name of this machine that is not `localhost`. */
export const networkHost = 'hearth.test';

/** Folder for screenshots of the pages, if they should be kept. */
export const pictureFolder = process.env['HEARTH_PICTURES'];

export interface OpenPageOptions extends BrowserContextOptions {
  /** Token of the tab. */
  readonly token?: string;
  /** Settings of new conversations, in the app's storage format. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A browser for the tests of a file. */
export function useBrowser() {
  let browser: Browser | undefined;
  /** The browser, started again if it has crashed, so that a repeated test can pass. */
  async function running(): Promise<Browser> {
    if (browser?.isConnected() !== true) browser = await launchBrowser();
    return browser;
  }
  beforeAll(async () => void (await running()));
  afterAll(() => browser?.close());

  /** Opens a page in a new profile. The test fails if a script fails or a request goes to another host. */
  async function openPage(url: string, options: OpenPageOptions = {}): Promise<Page> {
    const { token, settings, ...contextOptions } = options;
    const context = await (
      await running()
    ).newContext({
      reducedMotion: 'reduce',
      locale: 'en-US',
      ...contextOptions,
    });
    context.setDefaultTimeout(20_000);
    await context.addInitScript(
      ([savedToken, savedSettings]) => {
        // The initial empty page and frames of previews have no storage.
        if (location.protocol !== 'http:' || window !== window.top) return;
        if (typeof savedToken === 'string') localStorage.setItem('hearth.token', savedToken);
        const key = 'hearth.chat.settings';
        if (typeof savedSettings === 'string')
          localStorage.setItem(key, localStorage.getItem(key) ?? savedSettings);
      },
      [
        token ?? null,
        settings === undefined
          ? null
          : JSON.stringify({
              new: { systemPrompt: '', integrations: [], prefersStarter: true, ...settings },
            }),
      ],
    );
    const problems: string[] = [];
    watch(context, problems, new URL(url).origin);
    onTestFinished(async ({ task }) => {
      if (task.result?.state === 'fail') await keepPictureOf(context, task.name);
      await context.close();
      expect(problems).toEqual([]);
    });
    const page = await context.newPage();
    await page.goto(url);
    return page;
  }
  return { openPage, version: () => browser?.version() ?? '' };
}

function launchBrowser(): Promise<Browser> {
  if (!existsSync(chromiumPath)) {
    throw new Error(`${chromiumPath} is missing: apt-get install chromium, or set CHROMIUM_PATH.`);
  }
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      // Containers have no user namespaces for the sandbox.
      '--no-sandbox',
      // Makes this name look like another machine, whose pages browsers do not trust without TLS.
      `--host-resolver-rules=MAP ${networkHost} 127.0.0.1`,
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
    ],
  });
}

/** Keeps screenshots of a failed test's pages. */
async function keepPictureOf(context: BrowserContext, test: string): Promise<void> {
  if (pictureFolder === undefined) return;
  const name = test.replaceAll(/[^a-z\d]+/gi, '-').slice(0, 60);
  await mkdir(pictureFolder, { recursive: true });
  for (const [index, page] of context.pages().entries()) {
    await page.screenshot({ path: join(pictureFolder, `failed-${name}-${index}.png`) });
  }
}

/** Records script errors, violations of the Content-Security-Policy and requests to other hosts. */
function watch(context: BrowserContext, problems: string[], origin: string): void {
  context.on('weberror', (error) => problems.push(String(error.error())));
  context.on('console', (message) => {
    const text = message.text();
    // A model's code is drawn in a frame, whose policy should block some of it.
    if (/^blob:null|\/frame$/.test(message.location().url)) return;
    if (/Content Security Policy|Minified React error/.test(text)) problems.push(text);
  });
  const isForeign = (url: string) => {
    const { protocol, origin: requested } = new URL(url);
    return requested !== origin && !['data:', 'blob:'].includes(protocol);
  };
  context.on('request', (request) => {
    if (!isForeign(request.url())) return;
    const isOfFrame = request.serviceWorker() === null && request.frame().url().endsWith('/frame');
    if (!isOfFrame) problems.push(`request to ${request.url()}`);
  });
  context.on('response', (response) => {
    if (isForeign(response.url())) problems.push(`response of ${response.url()}`);
  });
}

/** Fails if axe finds serious or critical accessibility problems. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const shown = serious.map(({ id, nodes }) => [
    id,
    ...nodes.map(({ html }) => html.slice(0, 200)),
  ]);
  expect(shown).toEqual([]);
}
