import { createChannel } from '../../../kernel/concurrency/channel.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import {
  installRuntime,
  listRuntimes,
  removeRuntime,
  selectRuntime,
  type InstallRuntimeEvent,
  type RuntimeRecord,
} from './runtime-schema.ts';
import type { InstallProgress, ListedRuntime, Runtime } from '../../../engines/runtimes/runtime.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { mount, type App } from '../../kit/mount.ts';
import { eventStream, type SseMessage } from '../../kit/stream/sse.ts';
import type { ApiServices } from '../../services.ts';
import { v1Errors } from '../errors.ts';

export function mountRuntimes(app: App, { runtimes, logger }: ApiServices): void {
  async function records(): Promise<RuntimeRecord[]> {
    return (await runtimes.list()).map(toRecord);
  }

  async function installedRecord(installed: Runtime): Promise<RuntimeRecord> {
    const found = (await records()).find(({ path }) => path === pathOf(installed));
    if (found === undefined) throw new Error('The installed runtime is not in the list.');
    return found;
  }

  mount(app, listRuntimes, async () => ({ runtimes: await records() }));

  mount(app, installRuntime, async ({ body, context }) => {
    const { stream, ...options } = body;
    const { signal } = context;
    if (!stream) {
      return installedRecord(await runtimes.install({ ...omitUndefined(options), signal }));
    }
    const events = createChannel<InstallRuntimeEvent>();
    const install = async (): Promise<InstallRuntimeEvent> => {
      const installed = await runtimes.install({
        ...omitUndefined(options),
        signal,
        onProgress: (progress) => events.push(toEvent(progress)),
      });
      return { type: 'install.end', runtime: await installedRecord(installed) };
    };
    void install()
      .catch((error: unknown) => {
        if (!signal.aborted) logger.warn({ err: error }, 'runtime not installed');
        return toErrorEvent(error);
      })
      .then((event) => events.push(event))
      .finally(() => events.close());
    return eventStream(toMessages(events), context);
  });

  mount(app, selectRuntime, async ({ body: { name, version } }) => {
    if (!(await runtimes.select(name, version))) throw notInstalled(name ?? '', version);
    return { runtimes: await records() };
  });

  mount(app, removeRuntime, async ({ params: { name, version } }) => {
    if (!(await runtimes.remove(name, version))) throw notInstalled(name, version);
    return { name, version, removed: true as const };
  });
}

async function* toMessages(events: AsyncIterable<InstallRuntimeEvent>): AsyncGenerator<SseMessage> {
  for await (const event of events) yield { event: event.type, data: JSON.stringify(event) };
}

function toErrorEvent(error: unknown): InstallRuntimeEvent {
  const failure =
    error instanceof HearthError
      ? error
      : new HearthError(
          'internal',
          'The runtime was not installed; the log of the server has the details.',
        );
  return { type: 'error', ...v1Errors.serialize(failure).body };
}

function toEvent(progress: InstallProgress): InstallRuntimeEvent {
  if (progress.type === 'install.step') return progress;
  return {
    type: 'install.progress',
    received_bytes: progress.receivedBytes,
    ...omitUndefined({ total_bytes: progress.totalBytes }),
  };
}

function notInstalled(name: string, version: string | undefined): HearthError {
  const full = version === undefined ? name : `${name} ${version}`;
  return new HearthError(
    'runtime_not_found',
    `No runtime ${full} is installed. GET /api/v1/runtimes lists the existing ones.`,
    { param: 'name' },
  );
}

function pathOf({ folder, command }: Runtime): string {
  return folder ?? command;
}

function toRecord(runtime: ListedRuntime): RuntimeRecord {
  const { name, version, supportedFormats, source, isSelected, isRecommended, folder } = runtime;
  return {
    name,
    version,
    supported_formats: [...supportedFormats],
    source,
    path: pathOf(runtime),
    active: runtime.isActive,
    selected: isSelected,
    recommended: isRecommended,
    removable: folder !== undefined,
  };
}
