import { expect, it } from 'vitest';
import { post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { expectAccessible, useBrowser } from './setup/browser.ts';
import { answers, messageField } from './setup/chat.ts';
import { importedTurn } from './setup/imported-conversation.ts';
import { checkLook } from './setup/pictures.ts';

const hearth = useHearth();
const { openPage } = useBrowser();

async function openAnswer(answer: string) {
  const path = '/api/v1/conversations/import';
  const { body } = await post(hearth.url, path, importedTurn(['Question'], answer));
  return openPage(`${hearth.url}/chat/${body.conversation_id}`);
}

it('draws diagrams and pictures, and shows a page in a frame', async () => {
  const diagram = '```mermaid\nsequenceDiagram\nHarbour->>Ship: Come in\n```';
  const svg =
    '```svg\n<svg viewBox="0 0 40 20"><rect width="40" height="20" fill="teal"/></svg>\n```';
  const html =
    '```html\n<style>h1 { color: rgb(1, 2, 3) }</style><h1>Tides</h1><script>document.body.remove()</script>\n```';
  const whole = '```html\n<!doctype html><title>Tides</title><h1>High water</h1>\n```';
  const page = await openAnswer([diagram, svg, html, whole].join('\n\n'));
  const blocks = answers(page).locator('figure.code-block');
  const [first, second, third] = [blocks.nth(0), blocks.nth(1), blocks.nth(2)];
  for (const [block, name] of [
    [first, 'Diagram'],
    [second, 'Picture'],
  ] as const) {
    const picture = block.getByRole('img', { name });
    await picture.waitFor();
    const width = picture.evaluate((each: HTMLImageElement) => each.naturalWidth);
    expect(await width).toBeGreaterThan(30);
  }
  await first.getByRole('button', { name: 'Show the code' }).click();
  await first.getByText('Harbour->>Ship').waitFor();
  await first.getByRole('button', { name: 'Show the preview' }).click();
  await first.getByRole('button', { name: 'Open large' }).click();
  await page.getByRole('dialog', { name: 'Preview' }).getByRole('img').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  await third.getByRole('button', { name: 'Show the preview' }).click();
  const heading = third.frameLocator('iframe').getByRole('heading', { name: 'Tides' });
  await heading.waitFor();
  expect(await heading.evaluate((each) => getComputedStyle(each).color)).toBe('rgb(1, 2, 3)');
  await third.getByText('The preview runs no scripts').waitFor();
  const shown = blocks.nth(3).frameLocator('iframe');
  await shown.getByRole('heading', { name: 'High water' }).waitFor();
  await checkLook(page, 'previews');
});

it('explains a diagram that is not valid, and keeps its code', async () => {
  const page = await openAnswer('```mermaid\ngraph TD\nA--\n```');
  await answers(page)
    .getByText(/^The preview can't be drawn: Parse error/)
    .waitFor();
  expect(await answers(page).locator('pre').innerText()).toContain('graph TD');
});

it('sets formulas and texts in fonts of its own', async () => {
  const page = await openAnswer('Euler: $e^{i\\pi} + 1 = 0$, 漢字 سلام\n\n$$\\boxed{\\sqrt{2}}$$');
  const formula = answers(page).locator('.katex-html .mathnormal').first();
  await formula.waitFor();
  expect(await formula.evaluate((each) => getComputedStyle(each).fontFamily)).toContain('KaTeX');
  expect(await answers(page).locator('math').count()).toBe(2);
  const isLoaded = (font: string) =>
    page.evaluate(async (name) => {
      await document.fonts.ready;
      return [...document.fonts].some(
        (each) => each.family.includes(name) && each.status === 'loaded',
      );
    }, font);
  await expect.poll(() => isLoaded('Inter Variable')).toBe(true);
  await expect.poll(() => isLoaded('KaTeX_Math')).toBe(true);
  const fonts = await messageField(page).evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => name)
      .filter((name) => name.includes('/inter-')),
  );
  expect(new Set(fonts).size).toBe(1);
});
