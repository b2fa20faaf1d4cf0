type Environment = Readonly<Record<string, string | undefined>>;

/** A variable that names a proxy which can't be used. */
interface ProxyProblem {
  readonly variable: string;
  /** Follows the name of the variable; contains nothing of its value, which may have a password. */
  readonly reason: string;
}

interface ProxySettings {
  /** Empty strings: no proxy. */
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
  readonly problems: readonly ProxyProblem[];
}

/** In place of a proxy that can't be used: requests fail instead of avoiding it. The top-level domain never exists. */
const unusableProxy = 'http://unusable-proxy.invalid:9';

const socksProtocols: ReadonlySet<string> = new Set(['socks:', 'socks5:', 'socks5h:']);

/**
 * The proxies of an environment, lower-case names first, as curl reads them: an address without a scheme is an HTTP
 * proxy, and `socks5h` is SOCKS 5, which resolves names at the proxy.
 */
export function readProxies(environment: Environment): ProxySettings {
  const problems: ProxyProblem[] = [];
  const read = (name: string): string => {
    const variable = environment[name] === undefined ? name.toUpperCase() : name;
    const text = environment[variable]?.trim() ?? '';
    if (text === '') return '';
    const proxy = normalize(text);
    if (proxy !== undefined) return proxy;
    problems.push({
      variable,
      reason: 'is not the address of an HTTP or SOCKS 5 proxy, such as http://proxy.example:3128',
    });
    return unusableProxy;
  };
  const httpProxy = read('http_proxy');
  const httpsProxy = read('https_proxy');
  const noProxy = environment['no_proxy'] ?? environment['NO_PROXY'] ?? '';
  return { httpProxy, httpsProxy, noProxy, problems };
}

/** Undefined if undici has no client for it. */
function normalize(text: string): string | undefined {
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || parsed.hostname === '') return undefined;
  const { protocol, href } = parsed;
  if (protocol === 'http:' || protocol === 'https:') return href;
  return socksProtocols.has(protocol) ? `socks5:${url.slice(protocol.length)}` : undefined;
}

/** The proxy variables for child processes, without users and passwords. */
export function proxiesWithoutCredentials(environment: Environment): Record<string, string> {
  const names = ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'];
  return Object.fromEntries(
    names
      .flatMap((name) => [name, name.toUpperCase()])
      .flatMap((name) => {
        const value = environment[name];
        return value === undefined ? [] : [[name, value.replace(/^([a-z\d+.-]+:\/\/)?.*@/i, '$1')]];
      }),
  );
}
