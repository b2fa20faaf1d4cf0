import { createSessionLink } from '../../api/v1/tokens/session-schema.ts';
import { connectOrStart } from '../background/start-in-background.ts';
import { browserCommand, openBrowser } from '../browser.ts';
import { ApiError } from '../client/client-error.ts';
import { defineCommand } from '../command.ts';
import { CommandError } from '../failure.ts';
import { clientOptions, flag } from '../option.ts';

export const open = defineCommand({
  options: {
    browser: flag('--no-browser', 'Print the link only'),
    lan: flag('--lan', 'Show a QR code that opens the web app on a phone in the same network'),
    ...clientOptions,
  },
  examples: [
    'hearth open',
    'hearth open --no-browser',
    'hearth open --lan',
    'hearth open --host http://192.168.1.5:1234',
  ],
  async run({ context, options }) {
    const { environment, signal } = context;
    const { output, messages } = context.terminal;
    const client = await connectOrStart(context, { ...options, isForAdmin: true });
    const isForPhone = options.lan === true;
    const query = { scope: isForPhone ? ('network' as const) : ('machine' as const) };
    const link = await client.call(createSessionLink, { query }, signal).catch(explain);
    const isElsewhere = (options.host ?? environment['HEARTH_HOST'] ?? '') !== '';
    // A remote server does not know under which address this machine reaches it.
    const url = isElsewhere ? `${client.baseUrl}/open${new URL(link.url).hash}` : link.url;
    const command =
      options.browser === false || isForPhone
        ? undefined
        : browserCommand(process.platform, environment);
    const isOpened = command !== undefined && (await openBrowser(command, url));
    if (options.json === true) {
      output.json({ url, expires_at: link.expires_at, opened: isOpened });
      return;
    }
    output.line(url);
    if (isForPhone) {
      const { qrCodeLines } = await import('../ui/qr-code.ts');
      const hasColors = messages.isInteractive && (environment['NO_COLOR'] ?? '') === '';
      for (const line of qrCodeLines(url, hasColors)) messages.line(line);
      messages.line(
        'Scan the code with the camera of a phone in the same network. The link is valid for 10 minutes, and signs in one device with all permissions.',
      );
      return;
    }
    messages.line('The link is valid for 60 seconds, and opens one session with all permissions.');
    if (isOpened || options.browser === false) return;
    messages.line(
      'No browser was found. Open the link in a browser on this machine. For a browser on another machine, first ' +
        `forward the port: ssh -L ${new URL(url).port}:${new URL(url).host} HOST`,
    );
  },
});

function explain(error: unknown): never {
  const isForbidden =
    error instanceof ApiError && ['forbidden', 'invalid_api_key'].includes(error.code ?? '');
  if (!isForbidden) throw error;
  throw new CommandError(
    'This server belongs to another user or runs on another machine, so a link needs a token with the permission "admin". ' +
      'Its owner creates one with `hearth token create --name NAME --permissions admin`. Then run: hearth open --token TOKEN',
  );
}
