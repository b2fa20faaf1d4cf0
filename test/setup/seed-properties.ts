import { configureGlobal } from 'fast-check';
import { testSeed } from './seeded-random.ts';

// Property tests of fast-check use the run's seed, too.
configureGlobal({ seed: testSeed });
