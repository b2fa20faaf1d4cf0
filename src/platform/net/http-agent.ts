import { Agent, buildConnector, EnvHttpProxyAgent, type Dispatcher } from 'undici';
import type { AddressPolicy } from './address-policy.ts';
import { pinnedConnector } from './pinned-key.ts';
import { readProxies } from './proxy-environment.ts';

interface HttpAgentOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly idleTimeoutMs: number;
  /** The idle timeout by default. */
  readonly connectTimeoutMs?: number;
  /** Undefined: any address is allowed. */
  readonly policy: AddressPolicy | undefined;
  /** Fingerprint of the only key that a server may have; connections are then direct. */
  readonly pinnedKey?: string | undefined;
}

/**
 * The connections of a client, direct or through the proxy of the environment. A proxy resolves names itself, so
 * only the literal address can be checked in that case.
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
  // An empty string keeps the agent from reading the environment of this process.
  return new EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy, ...direct });
}

/** A connection belongs to one origin, so it is checked once, when it is opened. */
function guardedConnector(policy: AddressPolicy, timeout: number): buildConnector.connector {
  const open = buildConnector({ timeout });
  const guarded = buildConnector({ timeout, lookup: policy.lookup });
  return (target, callback) => {
    // `hostname` has no brackets around an IPv6 address.
    const url = new URL(`${target.protocol}//${target.host ?? target.hostname}`);
    (policy.isAllowed(url) ? open : guarded)(target, callback);
  };
}
