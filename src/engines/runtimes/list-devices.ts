import type { Logger } from '../../kernel/logger.ts';
import { parseDeviceList, type GpuDevice } from '../../platform/machine/gpu-devices.ts';
import type { RuntimeManager } from './runtime.ts';
import { runProgram } from './run-program.ts';

/** A driver that hangs must not block loads. */
const timeoutMs = 5_000;

interface DeviceListOptions {
  readonly runtimes: Pick<RuntimeManager, 'resolve'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}

/** Lists the GPUs that the active runtime can use, with their free memory; none for a build without GPU support. */
export async function listDevices({
  runtimes,
  environment,
  logger,
}: DeviceListOptions): Promise<readonly GpuDevice[]> {
  try {
    const runtime = await runtimes.resolve('gguf');
    if (runtime === undefined || runtime.name.endsWith('-cpu')) return [];
    const { output } = await runProgram(
      runtime.command,
      [...runtime.leadingArguments, '--list-devices'],
      { environment, timeoutMs },
    );
    return parseDeviceList(output);
  } catch (err) {
    logger.warn({ err }, 'the runtime does not list its devices');
    return [];
  }
}
