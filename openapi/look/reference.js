// The page of a group in the reference: Redoc in the colours of the other pages, the reader's own keys in its samples, and each call as a
// prompt. No key is in a prompt. The tab stores the id of the app and keys for tests only: the console has the same origin, and its
// scripts could read the others.
const root = new URL('..', document.currentScript.src).pathname.replace(/\/$/, '');
const group = location.pathname.replace(/\/+$/, '').split('/').pop();
const place = document.querySelector('#redoc');
const NAMES = { sk: 'SECRET', rk: 'SECRET', pk: 'PUBLIC', mk: 'MANAGEMENT', app: 'APP' };

const isStored = (key) => /^(?:app|(?:sk|rk|pk)_test)_/.test(key);

let keys = storedKeys();
let isStorageDenied = false;

function storedKeys() {
  try {
    return Object.fromEntries(
      Object.entries(JSON.parse(sessionStorage.getItem('keys') ?? '{}')).filter(([, key]) => isStored(key)),
    );
  } catch {
    return {};
  }
}

function store() {
  const stored = Object.entries(keys).filter(([, key]) => isStored(key));
  try {
    if (stored.length === 0) sessionStorage.removeItem('keys');
    else sessionStorage.setItem('keys', JSON.stringify(Object.fromEntries(stored)));
  } catch {
    isStorageDenied = true;
  }
}

/** The sample with the keys in place of the variables that a shell would have. */
function withKeys(source) {
  let text = source;
  for (const [name, key] of Object.entries(keys))
    text =
      name === 'APP'
        ? text.replaceAll(place.dataset.app, key)
        : text
            .replaceAll(`process.env.${name}!`, `'${key}'`)
            .replaceAll(`f"Bearer {os.environ['${name}']}"`, `"Bearer ${key}"`)
            .replaceAll(`os.environ["${name}"]`, `"${key}"`)
            .replaceAll(`"+os.Getenv("${name}")`, `${key}"`)
            .replaceAll(`" + os.Getenv("${name}")`, `${key}"`)
            .replaceAll(`$${name}`, key);
  return /os\.(environ|Getenv)/.test(text) ? text : text.replace(/^import os\n\n|^\t"os"\n/m, '');
}

const operationsOf = ({ paths }) => Object.values(paths).flatMap((item) => Object.values(item));

/** Redoc takes colours, but no pairs of them. */
function optionsOf() {
  const style = getComputedStyle(document.documentElement);
  const probe = document.createElement('i');
  document.body.append(probe);
  const colour = (name) => {
    probe.style.color = style.getPropertyValue(`--${name}`);
    return getComputedStyle(probe).color;
  };
  const fontFamily = style.getPropertyValue('--sans');
  const theme = {
    colors: {
      // Redoc writes on it in white.
      primary: { main: '#3b4cca' },
      success: { main: colour('good') },
      error: { main: colour('bad') },
      warning: { main: colour('wait'), contrastText: colour('on-accent') },
      text: { primary: colour('ink'), secondary: colour('soft') },
      border: { dark: colour('line'), light: colour('line') },
      responses: {
        success: { color: colour('good'), backgroundColor: colour('good-soft'), tabTextColor: '#6fd3a1' },
        error: { color: colour('bad'), backgroundColor: colour('bad-soft'), tabTextColor: '#ff9a91' },
      },
    },
    schema: { nestedBackground: colour('sunk'), typeNameColor: colour('soft'), linesColor: colour('control') },
    sidebar: { backgroundColor: colour('card'), textColor: colour('ink'), activeTextColor: colour('accent') },
    rightPanel: { backgroundColor: colour('code'), textColor: colour('on-code') },
    codeBlock: { backgroundColor: colour('code') },
    typography: {
      fontSize: '14px',
      fontFamily,
      links: { color: colour('accent') },
      headings: { fontFamily, fontWeight: '600' },
      code: { fontFamily: style.getPropertyValue('--mono'), color: colour('ink'), backgroundColor: colour('sunk') },
    },
  };
  probe.remove();
  return {
    disableSearch: true,
    hideDownloadButtons: true,
    nativeScrollbars: true,
    requiredPropsFirst: true,
    scrollYOffset: 'header',
    theme,
  };
}

async function copy(prompt, button) {
  try {
    await navigator.clipboard.writeText(prompt);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'The browser refused';
  }
  setTimeout(() => (button.textContent = 'Copy as prompt'), 2_000);
}

/** What Redoc leaves out of the reach of the keyboard, at a wrong level, or under another name than the one that is shown. */
function mend() {
  for (const heading of place.querySelectorAll('h5:not([role])')) {
    heading.setAttribute('role', 'heading');
    heading.setAttribute('aria-level', '3');
  }
  for (const sample of place.querySelectorAll('pre:not([tabindex])')) sample.tabIndex = 0;
  for (const entry of place.querySelectorAll('li[aria-label]')) entry.removeAttribute('aria-label');
}
new MutationObserver(mend).observe(place, { childList: true, subtree: true });

function addPrompts(document_) {
  for (const { operationId, 'x-prompt': prompt } of operationsOf(document_)) {
    const heading = document.querySelector(`[data-section-id="operation/${operationId}"] h2`);
    if (!heading || !prompt) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'prompt';
    button.textContent = 'Copy as prompt';
    button.addEventListener('click', () => void copy(prompt, button));
    heading.after(button);
  }
}

async function draw() {
  place.ariaBusy = 'true';
  try {
    await drawGroup();
  } catch (error) {
    console.error(error);
    const sentence = document.createElement('p');
    sentence.setAttribute('role', 'alert');
    sentence.textContent = 'The calls of this group did not load. Reload the page in a minute.';
    place.replaceChildren(sentence);
    place.ariaBusy = 'false';
  }
}

async function drawGroup() {
  const response = await fetch(`${root}/reference/${group}/openapi.json`);
  if (!response.ok) throw new Error(`The document has the status ${response.status}.`);
  const loaded = await response.json();
  for (const operation of operationsOf(loaded))
    operation['x-codeSamples'] = operation['x-codeSamples'].map((each) => ({ ...each, source: withKeys(each.source) }));
  const { scrollY } = globalThis;
  const drawn = document.createElement('div');
  place.replaceChildren(drawn);
  Redoc.init(loaded, optionsOf(), drawn, () => {
    addPrompts(loaded);
    if (scrollY > 0) scrollTo(0, scrollY);
    place.ariaBusy = 'false';
  });
}

const field = document.querySelector('#keys');
const output = document.querySelector('#own-keys output');
const forget = document.querySelector('#own-keys button');
function show() {
  const names = Object.keys(keys);
  const sentences = [
    names.length > 0 && `The samples have your ${names.join(', ')}.`,
    isStorageDenied && 'This browser refuses to store any: all last until you leave or reload this page.',
  ];
  output.textContent = sentences.filter(Boolean).join(' ');
  forget.hidden = names.length === 0;
}
function keep(changed) {
  keys = changed;
  store();
  field.value = '';
  show();
  void draw();
}
/** Whether there were keys in the text. */
function take(text) {
  const pairs = [...text.matchAll(/\b(sk|rk|pk|mk|app)_\w{20,}/g)].map(([key, kind]) => [NAMES[kind], key]);
  if (pairs.length > 0) keep({ ...keys, ...Object.fromEntries(pairs) });
  return pairs.length > 0;
}
// Not at every input: a key that is typed would be taken before its end.
field.addEventListener('change', () => take(field.value));
field.addEventListener('paste', (event) => {
  if (take(event.clipboardData.getData('text'))) event.preventDefault();
});
forget.addEventListener('click', () => keep({}));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => void draw());
store();
show();
void draw();
