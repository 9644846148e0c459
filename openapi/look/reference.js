// The page of a group in the reference: Redoc in the colours of the other pages, the reader's own keys in its samples, and each call as a
// prompt. A key stays in the storage of this tab, and in no prompt.
const root = new URL('..', document.currentScript.src).pathname.replace(/\/$/, '');
const group = location.pathname.replace(/\/+$/, '').split('/').pop();
const place = document.querySelector('#redoc');
const NAMES = { sk: 'SECRET', rk: 'SECRET', pk: 'PUBLIC', mk: 'MANAGEMENT', app: 'APP' };

const ownKeys = () => JSON.parse(sessionStorage.getItem('keys') ?? '{}');

/** The sample with the keys in place of the variables that a shell would have. */
function withKeys(source) {
  let text = source;
  for (const [name, key] of Object.entries(ownKeys()))
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
      primary: { main: colour('accent') },
      success: { main: colour('good') },
      error: { main: colour('bad') },
      text: { primary: colour('ink'), secondary: colour('soft') },
      border: { dark: colour('line'), light: colour('line') },
      responses: {
        success: { color: colour('good'), backgroundColor: colour('good-soft'), tabTextColor: '#6fd3a1' },
        error: { color: colour('bad'), backgroundColor: colour('bad-soft'), tabTextColor: '#ff9a91' },
      },
    },
    schema: { nestedBackground: colour('sunk'), typeNameColor: colour('soft'), linesColor: colour('control') },
    sidebar: { backgroundColor: colour('card'), textColor: colour('ink') },
    rightPanel: { backgroundColor: colour('code'), textColor: colour('on-code') },
    codeBlock: { backgroundColor: colour('code') },
    typography: {
      fontSize: '14px',
      fontFamily,
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
  const loaded = await (await fetch(`${root}/reference/${group}/openapi.json`)).json();
  for (const operation of operationsOf(loaded))
    operation['x-codeSamples'] = operation['x-codeSamples'].map((each) => ({ ...each, source: withKeys(each.source) }));
  const { scrollY } = globalThis;
  const drawn = document.createElement('div');
  place.replaceChildren(drawn);
  Redoc.init(loaded, optionsOf(), drawn, () => {
    addPrompts(loaded);
    if (scrollY > 0) scrollTo(0, scrollY);
  });
}

const field = document.querySelector('#keys');
const output = document.querySelector('#own-keys output');
const forget = document.querySelector('#own-keys button');
function show() {
  const names = Object.keys(ownKeys());
  output.textContent = names.length === 0 ? '' : `The samples have your ${names.join(', ')}.`;
  forget.hidden = names.length === 0;
}
function keep(keys) {
  sessionStorage.setItem('keys', JSON.stringify(keys));
  field.value = '';
  show();
  void draw();
}
field.addEventListener('input', () => {
  const pairs = [...field.value.matchAll(/\b(sk|rk|pk|mk|app)_\w{20,}/g)].map(([key, kind]) => [NAMES[kind], key]);
  if (pairs.length > 0) keep({ ...ownKeys(), ...Object.fromEntries(pairs) });
});
forget.addEventListener('click', () => keep({}));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => void draw());
show();
void draw();
