import { launchdService } from './launchd-service.ts';
import type { ServiceDefinition, ServiceFacts, ServiceScope } from './service-definition.ts';
import { systemdService } from './systemd-service.ts';
import { windowsService } from './windows-service.ts';
import { access } from 'node:fs/promises';
import type { CommandContext } from '../command.ts';
import { serviceNames } from './service-facts.ts';
import { readMachine, runProgram, type ServiceMachine } from './service-machine.ts';

/** Creates the service for the platform of `facts`. */
export function createService(facts: ServiceFacts): ServiceDefinition {
  switch (facts.platform) {
    case 'linux':
      return systemdService(facts);
    case 'darwin':
      return launchdService(facts);
    case 'win32':
      return windowsService(facts);
  }
}

export interface FoundService {
  readonly definition: ServiceDefinition;
  readonly facts: ServiceFacts;
  readonly isInstalled: boolean;
  /** State as the service manager reports it, such as `active`; null if unknown. */
  readonly state: string | null;
  /** True if the service manager runs it, even if its file was removed. */
  readonly isActive: boolean;
}

/** Finds the installed service of a scope; without a scope, the system's service or else the user's. */
export async function findService(
  context: CommandContext,
  scope: ServiceScope | undefined,
): Promise<FoundService> {
  const machine = await readMachine(context);
  const scopes: readonly ServiceScope[] = scope === undefined ? ['system', 'user'] : [scope];
  const found: FoundService[] = [];
  for (const each of scopes) found.push(await inspect(context, machine, each));
  const [first] = found;
  if (first === undefined) throw new Error('There is no scope.');
  return (
    found.find(({ isInstalled }) => isInstalled) ??
    // A service whose file was removed may still run.
    found.find(({ isActive }) => isActive) ??
    first
  );
}

async function inspect(
  context: CommandContext,
  machine: ServiceMachine,
  scope: ServiceScope,
): Promise<FoundService> {
  const facts = serviceNames(context, machine, scope);
  const definition = createService(facts);
  const isInstalled = await access(definition.file).then(
    () => true,
    () => false,
  );
  const state = await readState(definition, context);
  const isActive = state !== null && !stoppedStates.has(state);
  return { definition, facts, isInstalled, state, isActive };
}

async function readState(
  { stateCommand }: ServiceDefinition,
  { environment }: CommandContext,
): Promise<string | null> {
  if (stateCommand === undefined) return null;
  const { exitCode, stdout } = await runProgram(stateCommand, environment);
  return exitCode === 0 ? parseState(stdout) : null;
}

/** Parses the state. systemd prints only the state, launchd a description with a line such as `state = running`. */
export function parseState(stdout: string): string | null {
  return /^\s*(?:state = )?([a-z]+(?: [a-z]+)*)$/m.exec(stdout)?.[1] ?? null;
}

const stoppedStates: ReadonlySet<string> = new Set(['inactive', 'failed', 'not running']);
