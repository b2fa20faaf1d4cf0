import { configureGlobal, readConfigureGlobal } from 'fast-check';
import { inject } from 'vitest';

// One failure kills the mutant, so fast-check need not shrink the example.
configureGlobal({ ...readConfigureGlobal(), endOnFailure: true });

// Disables the previous mutant while a reused thread imports further modules.
const stryker = Reflect.get(globalThis, '__stryker__') as { activeMutant?: string } | undefined;
const activation = inject('mutantActivation' as never) as string | undefined;
if (stryker !== undefined && activation === 'runtime') delete stryker.activeMutant;
