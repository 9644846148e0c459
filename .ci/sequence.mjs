// Draws a sequence diagram of Mermaid as SVG, without the browser that Mermaid itself needs: participants, and messages by `->>` or `-->>`.
const COLUMN = 210;
const ROW = 42;
const HEAD = 30;
/** The width of a letter at the size of the style sheet, a little more than most letters have. */
const LETTER = 6.9;

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The words in lines of at most so many letters. */
function linesOf(words, most) {
  const lines = [''];
  for (const word of words.split(' ')) {
    const line = `${lines.at(-1)} ${word}`.trim();
    if (line.length > most && lines.at(-1) !== '') lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines;
}

/** Throws for a line that it cannot draw, so that no picture lacks a step. */
export function drawSequence(source) {
  const [, ...lines] = source.trim().split('\n');
  const names = new Map();
  const messages = [];
  for (const line of lines.map((each) => each.trim())) {
    const [, participant, shown] = /^participant (\S+) as (.+)$/.exec(line) ?? [];
    if (participant) {
      names.set(participant, shown);
      continue;
    }
    const [, from, arrow, to, words] = /^(\S+?)(-?->>)(\S+): (.+)$/.exec(line) ?? [];
    if (!names.has(from) || !names.has(to)) throw new Error(`This line of a diagram cannot be drawn: ${line}`);
    messages.push({ from, to, isAnswer: arrow === '-->>', words });
  }
  const order = [...names.keys()];
  const x = (name) => order.indexOf(name) * COLUMN + COLUMN / 2;
  let y = HEAD + 12;
  const drawn = messages.map(({ from, to, isAnswer, words }) => {
    const [start, end] = [x(from), x(to)];
    const span = from === to ? COLUMN : Math.abs(end - start);
    const texts = linesOf(words, Math.floor((span - 16) / LETTER));
    y += ROW + (texts.length - 1) * 15;
    const middle = from === to ? start : (start + end) / 2;
    const text = texts.map(
      (line, index) =>
        `<text x="${middle}" y="${y - 7 - (texts.length - 1 - index) * 15}" text-anchor="middle">${escape(line)}</text>`,
    );
    const away = end + (start < end ? -3 : 3);
    const path = from === to ? `M${start - 12} ${y}h24` : `M${start} ${y}H${away}`;
    return `${text.join('')}<path class="arrow${isAnswer ? ' answer' : ''}"${from === to ? '' : ' marker-end="url(#tip)"'} d="${path}"/>`;
  });
  const [width, height] = [order.length * COLUMN, y + 18];
  const heads = order.map(
    (name) =>
      `<path class="life" d="M${x(name)} ${HEAD}V${height}"/><rect x="${x(name) - 82}" y="1" width="164" height="${HEAD - 2}" rx="6"/>` +
      `<text class="name" x="${x(name)}" y="19" text-anchor="middle">${escape(names.get(name))}</text>`,
  );
  const spoken = messages.map(({ from, to, words }) => `${names.get(from)} to ${names.get(to)}: ${words}`).join('. ');
  return (
    `<svg class="flow" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="${escape(spoken).replaceAll('"', '&quot;')}">` +
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>' +
    `${heads.join('')}${drawn.join('')}</svg>`
  );
}
