import { inject } from 'vitest';
import { postgresFolderVariable } from './store-environment.ts';

process.env[postgresFolderVariable] = inject('postgresFolder');
