import { createService } from './create-service.ts';
import type { ServicePlatform } from './service-definition.ts';
import { exampleMachine } from './service-machine.ts';
import { showSteps } from './show-steps.ts';

/** What `hearth service install --dry-run` prints for the service of an example machine, as a block of Markdown. */
export function dryRunMarkdown(platform: ServicePlatform): string {
  const { homes, serviceFolders, ...machine } = exampleMachine(platform);
  const { files, register, restart } = createService({
    ...machine,
    scope: 'system',
    home: homes.system,
    serviceFolder: serviceFolders.system,
    serveArguments: ['--models-preload=hearth/starter-chat'],
    shutdownSeconds: 30,
    port: 1234,
    writableFolders: [],
    readableFolders: [],
  });
  const lines: string[] = [];
  const output = { line: (text = '') => lines.push(text), json: () => {} };
  showSteps(output, [...files, ...register, ...restart], false);
  return `\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n`;
}
