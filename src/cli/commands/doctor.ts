import type { Check, DoctorContext, Finding } from '../doctor/check.ts';
import { checkClock, checkDisk, checkProxy } from '../doctor/check-machine.ts';
import { checkDatabase } from '../doctor/check-database.ts';
import { checkGpu, checkModels, checkRuntime } from '../doctor/check-models.ts';
import { checkHome, checkSettings } from '../doctor/check-home.ts';
import { checkServer } from '../doctor/check-server.ts';
import { join } from 'node:path';
import { loadSettings } from '../../settings/settings.ts';
import { formatNumberOf } from '../../kernel/format.ts';
import { printable } from '../../kernel/printable.ts';
import { version } from '../../kernel/version.ts';
import { defineCommand } from '../command.ts';
import { remedyOf, describeSystemError } from '../failure.ts';
import { jsonOption } from '../option.ts';
import type { TerminalStream } from '../ui/terminal.ts';

/** The checks of `hearth doctor`, in their order. */
export const checks: readonly Check[] = [
  { name: 'Settings', run: checkSettings },
  { name: 'Home folder', run: checkHome },
  { name: 'Disk', run: checkDisk },
  { name: 'Database', run: checkDatabase },
  { name: 'Runtime', run: checkRuntime },
  { name: 'GPU', run: checkGpu },
  { name: 'Models', run: checkModels },
  { name: 'Server', run: checkServer },
  { name: 'Proxy', run: checkProxy },
  { name: 'Clock', run: checkClock },
];

export const doctor = defineCommand({
  options: jsonOption,
  examples: ['hearth doctor', 'hearth doctor --json'],
  async run({ context, options }) {
    const { home, environment, signal, terminal } = context;
    // If the settings are invalid, the first check reports it.
    const settings = await loadSettings({ home, environment, flags: {} }).catch(() => null);
    const modelsFolder = settings?.['models.dir'] ?? join(home, 'models');
    const doctorContext = { ...context, settings, modelsFolder };
    const results: { readonly name: string; readonly findings: readonly Finding[] }[] = [];
    for (const check of checks) {
      const findings = await runCheck(check, doctorContext, signal);
      results.push({ name: check.name, findings });
      if (options.json !== true) writeFindings(terminal.output, check.name, findings);
    }
    const all = results.flatMap(({ findings }) => findings);
    const problems = all.filter(({ level }) => level === 'problem').length;
    const warnings = all.filter(({ level }) => level === 'warning').length;
    if (options.json === true) {
      terminal.output.json({ version, problems, warnings, checks: results });
    } else {
      terminal.output.line();
      terminal.output.line(
        problems + warnings === 0
          ? 'No problems were found.'
          : `${formatNumberOf(problems, 'problem')}, ${formatNumberOf(warnings, 'warning')}.`,
      );
    }
    return problems === 0 ? 0 : 1;
  },
});

async function runCheck(
  check: Check,
  context: DoctorContext,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  try {
    return await check.run(context);
  } catch (error) {
    signal.throwIfAborted();
    return [
      {
        level: 'problem',
        message:
          error instanceof Error ? (describeSystemError(error) ?? error.message) : String(error),
        remedy: remedyOf(error) ?? 'Correct it, then run `hearth doctor` again.',
      },
    ];
  }
}

const marks = { ok: 'ok', warning: '!', problem: 'x' } as const;

function writeFindings(output: TerminalStream, name: string, findings: readonly Finding[]): void {
  for (const [index, { level, message, remedy }] of findings.entries()) {
    const { style } = output;
    const paint = level === 'ok' ? style.green : level === 'problem' ? style.red : style.bold;
    const label = (index === 0 ? name : '').padEnd(12);
    output.line(`${paint(marks[level].padEnd(2))} ${label} ${printable(message)}`);
    if (remedy !== undefined) output.line(style.dim(`${' '.repeat(16)}${printable(remedy)}`));
  }
}
