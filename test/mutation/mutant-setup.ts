import { configureGlobal, readConfigureGlobal } from 'fast-check';
import { inject } from 'vitest';

// A property that fails kills the mutant; its smallest example is not needed.
configureGlobal({ ...readConfigureGlobal(), endOnFailure: true });

// Modules that a reused thread has not imported yet are imported without the mutant before.
const stryker = Reflect.get(globalThis, '__stryker__') as { activeMutant?: string } | undefined;
const activation = inject('mutantActivation' as never) as string | undefined;
if (stryker !== undefined && activation === 'runtime') delete stryker.activeMutant;
