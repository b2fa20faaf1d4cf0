import type { ErrorCase } from '../setup/server/error-case.ts';

/** Administration requests that must fail. The token has all permissions. */
export function adminErrorCases(token: string): readonly ErrorCase[] {
  const headers = { authorization: `Bearer ${token}` };
  return [
    {
      code: 'invalid_code',
      path: '/api/v1/sessions',
      body: { code: 'A'.repeat(43) },
      param: 'code',
      message: 'unknown, used or too old. `hearth open` makes a new one',
    },
    {
      code: 'network_unreachable',
      path: '/api/v1/sessions/links?scope=network',
      method: 'POST',
      headers,
      message: 'server.host 0.0.0.0',
    },
    {
      code: 'session_not_found',
      path: '/api/v1/sessions/b41e07d9c2a65f38',
      method: 'DELETE',
      headers,
      param: 'id',
      message: '"b41e07d9c2a65f38"',
    },
    {
      code: 'link_not_found',
      path: '/api/v1/links/gpu-box',
      method: 'DELETE',
      headers,
      param: 'name',
      message: '"gpu-box"',
    },
    {
      code: 'mcp_server_not_found',
      path: '/api/v1/mcp/servers/nowhere',
      headers,
      param: 'label',
      message: '"nowhere"',
    },
    {
      code: 'request_not_found',
      path: '/api/v1/requests/unknown',
      headers,
      param: 'id',
      message: '"unknown"',
    },
    {
      code: 'runtime_not_found',
      path: '/api/v1/runtimes/use',
      body: { name: 'llama.cpp-none', version: 'b1' },
      headers,
      param: 'name',
      message: 'llama.cpp-none b1',
    },
  ];
}
