// The search of the header: pages of the guide, calls and errors. The texts are loaded and indexed when the field gets the focus for the first time.
import MiniSearch from 'minisearch';

const MOST = 20;
const field = document.querySelector('#search');
const found = document.querySelector('#found');
const [status, list] = found.children;
let index;

async function load() {
  const response = await fetch(field.dataset.texts);
  if (!response.ok) throw new Error(`The texts could not be loaded: ${response.status}`);
  const made = new MiniSearch({
    fields: ['heading', 'page', 'text'],
    storeFields: ['heading', 'page', 'text'],
    searchOptions: {
      combineWith: 'AND',
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : 0),
      boost: { heading: 4, page: 2 },
    },
  });
  await made.addAllAsync(await response.json());
  return made;
}

const prepare = () => (index ??= load());

/** The text around the first word that was found, with that word marked. */
function excerptOf({ text, terms }) {
  const excerpt = document.createElement('span');
  const starts = terms.map((term) => text.toLowerCase().indexOf(term)).filter((start) => start >= 0);
  if (starts.length === 0) {
    excerpt.textContent = text.slice(0, 140);
    return excerpt;
  }
  const start = Math.min(...starts);
  const end = start + terms.find((term) => text.toLowerCase().startsWith(term, start)).length;
  const mark = document.createElement('mark');
  mark.textContent = text.slice(start, end);
  const from = Math.max(0, start - 60);
  excerpt.append(from > 0 ? '…' : '', text.slice(from, start), mark, text.slice(end, end + 90), '…');
  return excerpt;
}

function itemOf(result) {
  const link = document.createElement('a');
  link.href = result.id;
  const heading = document.createElement('strong');
  heading.textContent = result.heading === result.page ? result.page : `${result.page}: ${result.heading}`;
  link.append(heading, excerptOf(result));
  const item = document.createElement('li');
  item.append(link);
  return item;
}

async function show() {
  const query = field.value.trim();
  if (query === '') {
    found.hidden = true;
    return;
  }
  try {
    const results = (await prepare()).search(query);
    // The text may have changed while the texts were loaded.
    if (field.value.trim() !== query) return;
    status.textContent = results.length === 1 ? '1 result' : `${results.length} results`;
    list.replaceChildren(...results.slice(0, MOST).map(itemOf));
  } catch {
    index = undefined;
    status.textContent = 'The search is not available at the moment.';
    list.replaceChildren();
  }
  found.hidden = false;
}

function close() {
  found.hidden = true;
  field.focus();
}

/** Moves the focus between the field and the results. */
function move(by) {
  const stops = [field, ...list.querySelectorAll('a')];
  const next = stops[stops.indexOf(document.activeElement) + by];
  next?.focus();
}

field.addEventListener('focus', () => void prepare().catch(() => (index = undefined)), { once: true });
field.addEventListener('input', () => void show());
document.addEventListener('keydown', (event) => {
  const isKey = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
  if (isKey || (event.key === '/' && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName))) {
    event.preventDefault();
    field.focus();
  }
  if (found.hidden) return;
  if (event.key === 'Escape') close();
  if (event.key === 'Enter' && document.activeElement === field) list.querySelector('a')?.click();
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    move(event.key === 'ArrowDown' ? 1 : -1);
  }
});
document.addEventListener('click', ({ target }) => {
  if (!target.closest('.search') || target.closest('#found a')) found.hidden = true;
});
