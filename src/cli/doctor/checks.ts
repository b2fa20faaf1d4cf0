import type { Check } from './check.ts';
import { checkClock } from './check-clock.ts';
import { checkDatabase } from './check-database.ts';
import { checkDisk } from './check-disk.ts';
import { checkGpu } from './check-gpu.ts';
import { checkHome } from './check-home.ts';
import { checkModels } from './check-models.ts';
import { checkProxy } from './check-proxy.ts';
import { checkRuntime } from './check-runtime.ts';
import { checkServer } from './check-server.ts';
import { checkSettings } from './check-settings.ts';

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
