import type { TerminalStream } from '../ui/terminal.ts';
import type { ServicePlatform, ServiceStep } from './service-definition.ts';
import { createService } from './find-service.ts';
import { serviceNames } from './service-facts.ts';
import { exampleMachine } from './service-machine.ts';

/** Formats a command line for a POSIX shell. */
export function formatCommand(command: readonly string[]): string {
  return command
    .map((word) =>
      /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
    )
    .join(' ');
}

/** Prints the steps of a dry run: files with their content, commands for a shell. */
export function showSteps(
  output: Pick<TerminalStream, 'line' | 'json'>,
  steps: readonly ServiceStep[],
  isJson: boolean,
) {
  if (isJson) return output.json({ steps: steps.map(({ type, ...rest }) => ({ type, ...rest })) });
  for (const step of steps) {
    switch (step.type) {
      case 'folder':
        output.line(`# Create the folder ${step.path}`);
        break;
      case 'file':
        output.line(`# Write ${step.path}`);
        output.line(step.content);
        break;
      case 'remove':
        output.line(`# Remove ${step.path}`);
        break;
      case 'run':
        output.line(
          `$ ${formatCommand(step.command)}${step.mayFail === true ? '  # may fail' : ''}`,
        );
        break;
    }
  }
}

/** Output of `hearth service install --dry-run` for an example machine, as a Markdown code block. */
export function dryRunMarkdown(platform: ServicePlatform): string {
  const defaultHome = { home: '', isDefaultHome: true };
  const { files, register, restart } = createService({
    ...serviceNames(defaultHome, exampleMachine(platform), 'system'),
    serveArguments: ['--models-preload=hearth/starter-chat'],
    shutdownSeconds: 30,
    port: 1234,
  });
  const lines: string[] = [];
  const output = { line: (text = '') => lines.push(text), json: () => {} };
  showSteps(output, [...files, ...register, ...restart], false);
  return `\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n`;
}
