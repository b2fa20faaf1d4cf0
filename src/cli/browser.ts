import { spawn } from 'node:child_process';

interface BrowserCommand {
  readonly command: string;
  /** Arguments before the URL. */
  readonly arguments: readonly string[];
}

/** The program that opens a URL in the user's browser; undefined on a machine without a screen. */
export function browserCommand(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): BrowserCommand | undefined {
  switch (platform) {
    case 'darwin':
      return { command: 'open', arguments: [] };
    case 'win32':
      // `start` is unsafe: its shell would interpret the URL.
      return { command: 'rundll32', arguments: ['url.dll,FileProtocolHandler'] };
    default: {
      const isRemote = (environment['SSH_CONNECTION'] ?? '') !== '';
      const hasScreen = ['DISPLAY', 'WAYLAND_DISPLAY'].some(
        (name) => (environment[name] ?? '') !== '',
      );
      return hasScreen && !isRemote ? { command: 'xdg-open', arguments: [] } : undefined;
    }
  }
}

/** Starts the browser without waiting for its end. Returns false if the program can't be started. */
export function openBrowser(browser: BrowserCommand, url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(browser.command, [...browser.arguments, url], {
      detached: true,
      stdio: 'ignore',
      windowsHide: true,
    });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
