import { Agent, buildConnector, EnvHttpProxyAgent, type Dispatcher } from 'undici';
import type { AddressPolicy } from './address-policy.ts';
import { pinnedConnector } from './pinned-key.ts';
import { readProxies } from './proxy-environment.ts';

interface HttpAgentOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly idleTimeoutMs: number;
  /** Defaults to the idle timeout. */
  readonly connectTimeoutMs?: number;
  /** Undefined: any address is allowed. */
  readonly policy: AddressPolicy | undefined;
  /** Fingerprint of the only key that a server may have. If set, connections avoid the proxy. */
  readonly pinnedKey?: string | undefined;
}

/**
 * Creates the connections of a client, direct or through the environment's proxy. A proxy resolves names itself, so in
 * that case only literal addresses can be checked.
 */
export function createHttpAgent(options: HttpAgentOptions): Dispatcher {
  const { environment, idleTimeoutMs, connectTimeoutMs = idleTimeoutMs, policy } = options;
  const { pinnedKey } = options;
  const { httpProxy, httpsProxy, noProxy } = readProxies(environment);
  const timeouts = { headersTimeout: idleTimeoutMs, bodyTimeout: idleTimeoutMs };
  if (pinnedKey !== undefined) {
    return new Agent({ connect: pinnedConnector(pinnedKey, connectTimeoutMs), ...timeouts });
  }
  const direct = {
    connect:
      policy === undefined
        ? { timeout: connectTimeoutMs }
        : guardedConnector(policy, connectTimeoutMs),
    ...timeouts,
  };
  if (httpProxy === '' && httpsProxy === '') return new Agent(direct);
  // An empty string keeps the agent from reading this process's own environment.
  return new EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy, ...direct });
}

/** Checks the origin when a connection opens; a connection serves only one origin. */
function guardedConnector(policy: AddressPolicy, timeout: number): buildConnector.connector {
  const open = buildConnector({ timeout });
  const guarded = buildConnector({ timeout, lookup: policy.lookup });
  return (target, callback) => {
    // `hostname` has no brackets around an IPv6 address.
    const url = new URL(`${target.protocol}//${target.host ?? target.hostname}`);
    (policy.isAllowed(url) ? open : guarded)(target, callback);
  };
}
