// Keeps the shell of the app, so that it opens while the server does not run. Answers of the API are never kept.
const cacheName = 'hearth-shell';
// Behind a proxy, all paths of the server may begin with a prefix.
const base = new URL('.', location.href).pathname;
const assets = `${base}assets/`;

self.addEventListener('install', (event) => {
  // Answers of the API do not wait for this worker to start, in browsers that can tell them apart without it.
  if (typeof event.addRoutes === 'function') {
    const condition = { urlPattern: new URLPattern({ pathname: `${base}api/*` }) };
    event.waitUntil(event.addRoutes({ condition, source: 'network' }));
  }
  event.waitUntil(keepPage().then(() => self.skipWaiting()));
});
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  if (request.mode === 'navigate' && isPage(url.pathname)) event.respondWith(networkFirst(request));
  else if (url.pathname.startsWith(assets)) event.respondWith(cacheFirst(request));
});

self.addEventListener('message', (event) => {
  const { data } = event;
  if (data?.kind === 'keep' && Array.isArray(data.urls)) event.waitUntil(keepAssets(data.urls));
});

function isPage(path) {
  if (!path.startsWith(base)) return false;
  const page = path.slice(base.length);
  return (
    page === '' || /^(chat|models|compare|voice|developer|devices|shortcuts|open)(\/|$)/.test(page)
  );
}

async function keepPage() {
  const cache = await caches.open(cacheName);
  await cache.add(new Request(base, { headers: { Accept: 'text/html' } }));
}

/** Keeps files that a page has loaded; the browser has them already. */
async function keepAssets(urls) {
  const cache = await caches.open(cacheName);
  for (const url of urls.map((each) => new URL(each, location.origin))) {
    const isAsset = url.origin === location.origin && url.pathname.startsWith(assets);
    if (isAsset && (await cache.match(url)) === undefined) await cache.add(url);
  }
}

async function networkFirst(request) {
  try {
    const response = await fetch(request);
    if (response.ok) {
      const cache = await caches.open(cacheName);
      await cache.put(base, response.clone());
      await removeOldAssets(cache, await response.clone().text());
    }
    return response;
  } catch {
    return (await caches.match(base, { ignoreVary: true })) ?? Response.error();
  }
}

async function cacheFirst(request) {
  const kept = await caches.match(request, { ignoreVary: true });
  if (kept !== undefined) return kept;
  const response = await fetch(request);
  if (response.ok) await (await caches.open(cacheName)).put(request, response.clone());
  return response;
}

/** After an update the page names other scripts; assets of the previous one are removed. */
async function removeOldAssets(cache, page) {
  const entry = /\/assets\/index-[\w-]+\.js/.exec(page)?.[0];
  const marker = await cache.match(`${base}entry`);
  if ((await marker?.text()) === entry || entry === undefined) return;
  for (const request of await cache.keys()) {
    if (new URL(request.url).pathname.startsWith(assets)) await cache.delete(request);
  }
  await cache.put(`${base}entry`, new Response(entry));
}
