import { once } from 'node:events';
import { defineCommand } from '../command.ts';
import { Interruption } from '../failure.ts';
import { settingsFromFlags, serveOptions } from '../serve-options.ts';
import { createInstallView } from '../ui/install-progress.ts';

export const serve = defineCommand({
  options: serveOptions,
  examples: ['hearth serve', 'hearth serve --port 8080 --models-dir /data/models'],
  async run({ context, options }) {
    const { startServer } = await import('../../serve.ts');
    const { home, environment, signal, terminal } = context;
    const { output, messages } = terminal;
    const installation = createInstallView(messages);
    const server = await startServer({
      home,
      environment,
      flags: settingsFromFlags(options),
      allowUnauthenticated: options.allowUnauthenticated === true,
      isLogForTerminal: messages.isInteractive,
      onProgress: ({ progress }) => installation.show(progress),
    });
    try {
      output.line(`Hearth is listening on ${server.url}`);
      messages.line(firstSteps(server.url));
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      installation.stop();
      await server.close();
    }
    const isInterrupted =
      signal.reason instanceof Interruption && signal.reason.stoppedBy === 'SIGINT';
    return isInterrupted ? 130 : 0;
  },
});

function firstSteps(url: string): string {
  return `
Try it:
  curl ${url}/api/v1/chat -H 'Content-Type: application/json' -d '{"model":"hearth/starter-chat","input":"Hello!"}'
Documentation: ${url}/docs
`;
}
