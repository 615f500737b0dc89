// The page at /docs. It asks for the key, reads the API description with it, and hands both to the viewer.
/* global SwaggerUIBundle */

const KEY = 'vcp-key';
const server = new URL('.', location.href);
const form = document.querySelector('#key-form');
const input = document.querySelector('#key');
const fault = document.querySelector('#fault');
const bar = document.querySelector('#bar');

/** Where nothing may be stored the page works all the same, until it is left. */
const store = {
  read: () => {
    try {
      return sessionStorage.getItem(KEY);
    } catch {
      return null;
    }
  },
  keep: (key) => {
    try {
      if (key === null) sessionStorage.removeItem(KEY);
      else sessionStorage.setItem(KEY, key);
    } catch {
      // The key is asked for again next time.
    }
  },
};

const readDescription = async (key) => {
  let response;
  try {
    response = await fetch(new URL('openapi.json', server), { headers: { authorization: `Bearer ${key}` } });
  } catch {
    throw new Error('The server does not answer.');
  }
  if (response.status === 401) throw new Error('The server does not know this key.');
  if (!response.ok) throw new Error(`The server answered with ${response.status}.`);
  return await response.json();
};

const show = (description, key) => {
  form.hidden = true;
  bar.hidden = false;
  const viewer = SwaggerUIBundle({
    // The server may be reached under a path of a proxy's.
    spec: { ...description, servers: [{ url: server.href.replace(/\/$/, '') }] },
    domNode: document.querySelector('#api'),
    presets: [SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
    deepLinking: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    // Another host would be asked to judge the document.
    validatorUrl: null,
    onComplete: () => viewer.preauthorizeApiKey('bearer', key),
  });
};

const open = async (key) => {
  fault.textContent = '';
  try {
    const description = await readDescription(key);
    store.keep(key);
    show(description, key);
  } catch (error) {
    store.keep(null);
    fault.textContent = error.message;
    input.focus();
  }
};

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void open(input.value.trim());
});

document.querySelector('#forget').addEventListener('click', () => {
  store.keep(null);
  location.reload();
});

const kept = store.read();
if (kept !== null) void open(kept);
