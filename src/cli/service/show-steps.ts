import type { TerminalStream } from '../ui/terminal.ts';
import { formatCommand } from './format-command.ts';
import type { ServiceStep } from './service-definition.ts';

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
