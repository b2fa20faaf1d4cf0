import { expect, it } from 'vitest';
import { useHearth } from '../setup/server/use-hearth.ts';
import { expectAccessible, useBrowser } from './setup/browser.ts';

// `npm run build:site` builds the site; `npm run build` does not.
const hearth = useHearth();
const { openPage } = useBrowser();

it('opens, changes pages and colors, and loads nothing from elsewhere', async () => {
  const page = await openPage(`${hearth.url}/docs`);
  await page.getByRole('heading', { level: 1, name: 'Hearth' }).waitFor();
  const sidebar = page.getByRole('navigation', { name: 'Sidebar Navigation' });
  await sidebar.getByRole('link', { name: 'Models', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/docs/models');

  const html = page.locator('html');
  expect((await html.getAttribute('class')) ?? '').not.toContain('dark');
  await page
    .getByRole('switch', { name: /dark theme/i })
    .first()
    .click();
  await expect.poll(() => html.getAttribute('class')).toContain('dark');
  await page.reload();
  expect(await html.getAttribute('class')).toContain('dark');
});

it('finds pages by their words', async () => {
  const page = await openPage(`${hearth.url}/docs/`);
  await page
    .getByRole('button', { name: /search/i })
    .first()
    .click();
  await page.getByRole('searchbox').fill('out of memory');
  const results = page.getByRole('option');
  await results.first().waitFor();
  const texts = await results.allInnerTexts();
  expect(texts.join('\n')).toMatch(/memory/i);
  await results.first().getByRole('link').click();
  await page.waitForURL(/\/docs\/[a-z-]+/);
});

it.each([
  ['gpu not detected', 'the-gpu-is-not-used'],
  ['context size', 'the-context-is-full'],
  ['gibberish', 'the-model-answers-nonsense'],
  ['address already in use', 'the-port-is-in-use'],
])('finds the answer before pages for developers: %s', async (words, section) => {
  const page = await openPage(`${hearth.url}/docs/`);
  await page
    .getByRole('button', { name: /search/i })
    .first()
    .click();
  await page.getByRole('searchbox').fill(words);
  const first = page.getByRole('option').first().getByRole('link');
  await expect
    .poll(() => first.getAttribute('href').catch(() => null))
    .toMatch(new RegExp(`troubleshooting.*#${section}$`));
});

it.each(['', 'web-app', 'tools', 'reference/', 'reference/v1-presets'])(
  'is accessible in light and dark: %s',
  async (path) => {
    const page = await openPage(`${hearth.url}/docs/${path}`, { colorScheme: 'light' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => page.locator('html').getAttribute('class')).toContain('dark');
    await page.waitForFunction(() =>
      document.getAnimations().every(({ playState }) => playState !== 'running'),
    );
    await expectAccessible(page);
    const broken = await page.locator('img').evaluateAll((images) =>
      Promise.all(
        images.map((image) => {
          const { src } = image as HTMLImageElement;
          return fetch(src).then(({ ok }) => (ok ? '' : src));
        }),
      ),
    );
    expect(broken.filter((src) => src !== '')).toEqual([]);
  },
);

it('says that a page does not exist', async () => {
  const page = await openPage(`${hearth.url}/docs/none`);
  await page.getByText('PAGE NOT FOUND').waitFor();
  expect(await page.title()).toContain('404');
});
