// The part of undici that `src/net` uses. Its index also loads fetch, WebSocket, caches and mocks, which doubles the time.
exports.Agent = require('undici/lib/dispatcher/agent.js');
exports.EnvHttpProxyAgent = require('undici/lib/dispatcher/env-http-proxy-agent.js');
exports.buildConnector = require('undici/lib/core/connect.js');
