import type { Authentication } from '../../../src/access/token-service.ts';
import type { Permission } from '../../../src/kernel/permission.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import type { HonoApp } from '../../../src/api/kit/app-environment.ts';
import { createApp, type AppOptions } from '../../../src/server/app.ts';
import type { GuardSettings } from '../../../src/api/kit/guards/guards.ts';
import type { App } from '../../../src/api/kit/mount.ts';
import type { Api } from '../../../src/api/kit/mount.ts';
import { v0Errors } from '../../../src/api/openai/errors.ts';
import { v1Errors } from '../../../src/api/v1/errors.ts';
import { noLimits } from '../../../src/store/shared/rate-limit-repository.ts';

interface TestAppOptions extends Partial<Omit<AppOptions, 'settings' | 'logger'>> {
  readonly settings?: Partial<GuardSettings>;
  /** Mounts routes of `/api/v1`. */
  readonly v1Routes?: (app: App) => void;
  /** Mounts routes of `/api/v0`, which have OpenAI's error format. */
  readonly v0Routes?: (app: App) => void;
}

/** An API that consists of the given routes. */
export function testApi(api: Pick<Api, 'prefixes'> & Partial<Api>): Api {
  return {
    name: api.prefixes.join(),
    description: 'For tests.',
    errorSerializer: v1Errors,
    mountRoutes: () => {},
    ...api,
  };
}

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** An app with default settings, and its log. */
export function createTestApp({ v1Routes, v0Routes, ...options }: TestAppOptions = {}): {
  readonly app: HonoApp;
  readonly logLines: () => readonly LogLine[];
  readonly logger: AppOptions['logger'];
} {
  const lines: string[] = [];
  const logger = createLogger('debug', { write: (line) => lines.push(line) });
  const app = createApp({
    authenticator: testAuthenticator,
    version: '1.2.3',
    docsFolder: '/nowhere',
    webFolder: '/nowhere',
    ping: async () => {},
    apis: [
      testApi({
        name: 'v1',
        prefixes: ['/api/v1'],
        ...(v1Routes === undefined ? {} : { mountRoutes: v1Routes }),
      }),
      testApi({
        name: 'v0',
        prefixes: ['/api/v0'],
        errorSerializer: v0Errors,
        ...(v0Routes === undefined ? {} : { mountRoutes: v0Routes }),
      }),
    ],
    ...options,
    logger,
    settings: {
      'server.host': '127.0.0.1',
      'server.cors': [],
      'server.allowedHosts': [],
      'server.publicUrl': undefined,
      'auth.required': false,
      'limits.bodyBytes': 1024 * 1024,
      ...options.settings,
    },
  });
  return { app, logger, logLines: () => lines.map((line) => JSON.parse(line) as LogLine) };
}

/** Accepts `Bearer chat,models:read` as a token with these permissions; other text is an invalid token. */
const testAuthenticator: AppOptions['authenticator'] = {
  authenticate: async (text): Promise<Authentication> => {
    const permissions = /^(?:[\w:-]+,?)+$/.exec(text)?.[0];
    if (permissions === undefined || permissions === 'revoked') {
      return { kind: 'invalid', reason: 'unknown', masked: 'hearth-ab12…' };
    }
    const token = {
      id: 'token1',
      name: 'test',
      permissions: permissions.split(',') as Permission[],
      secretHash: '',
      createdAt: new Date(0),
      expiresAt: null,
      lastUsedAt: null,
      rateLimits: noLimits,
      modelScope: null,
      priority: 'normal' as const,
    };
    return { kind: 'token', token };
  },
};
