import { expect, it } from 'vitest';
import { browserCommand, openBrowser } from './browser.ts';

it.each([
  ['darwin', {}, 'open'],
  ['win32', {}, 'rundll32'],
  ['linux', { DISPLAY: ':0' }, 'xdg-open'],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open'],
  ['linux', { DISPLAY: '' }, undefined],
  ['linux', { DISPLAY: 'localhost:10.0', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }, undefined],
] as const)('on %s with %j it is %s', (platform, environment, command) => {
  expect(browserCommand(platform, environment)?.command).toBe(command);
});

it('reports whether the browser started', async () => {
  const url = 'http://127.0.0.1:1/open';
  expect(await openBrowser({ command: process.execPath, arguments: ['-e', '0'] }, url)).toBe(true);
  expect(await openBrowser({ command: '/nowhere/browser', arguments: [] }, url)).toBe(false);
});
