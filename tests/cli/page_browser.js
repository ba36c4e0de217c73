// Pages in Debian's Chromium, by playwright-core: node page_browser.js CHROMIUM FOLDER PAGE...
// Prints a JSON object: for each page a list of what is wrong, and how many checks were made.
// Pictures of the pages go to FOLDER.
'use strict';
const { chromium } = require('playwright-core');
const path = require('path');
const [browserPath, folder, ...pages] = process.argv.slice(2);

function luminance(color) {
  const parts = color.match(/[\d.]+/g).slice(0, 3).map(c => c / 255)
    .map(c => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

async function look(browser, file) {
  const wrong = [];
  let checks = 0;
  const check = (ok, why) => { checks += 1; if (!ok) wrong.push(why); };
  const backs = {};
  for (const [scheme, width] of [['light', 1100], ['dark', 1100], ['light', 360], ['dark', 360]]) {
    const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 800 } });
    const page = await context.newPage();
    page.on('console', message => check(false, `console: ${message.text()}`));
    page.on('pageerror', error => check(false, `error: ${error.message}`));
    page.on('dialog', dialog => { check(false, `dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on('request', request => check(request.url().startsWith('file:') && request.isNavigationRequest(),
      `loads ${request.url()}`));
    await page.goto('file://' + path.resolve(file));
    const seen = await page.evaluate(() => {
      const style = getComputedStyle(document.body), soft = document.querySelector('dt, .soft');
      const link = document.querySelector('nav a');
      return { wide: document.documentElement.scrollWidth, back: style.backgroundColor, text: style.color,
        soft: getComputedStyle(soft).color, link: getComputedStyle(link).color };
    });
    check(seen.wide <= width, `${scheme} ${width}: ${seen.wide} pixels wide`);
    for (const part of ['text', 'soft', 'link'])
      check(contrast(seen[part], seen.back) >= 4.5, `${scheme}: contrast of ${part} ${contrast(seen[part], seen.back)}`);
    backs[scheme] = luminance(seen.back);
    await page.screenshot({ path: path.join(folder, `${path.basename(file, '.html')}-${scheme}-${width}.png`), fullPage: true });
    if (scheme === 'light' && width === 1100) await use(page, check);
    await context.close();
  }
  check(backs.light > 0.8 && backs.dark < 0.1, 'dark is dark and light is light');
  return { checks, wrong };
}

// By keyboard and by clicks; then what is printed.
async function use(page, check) {
  await page.keyboard.press('Tab');
  check(await page.evaluate(() => document.activeElement.className === 'skip'), 'the first stop leads past the contents');
  const regions = await page.getByRole('region').count(), tables = await page.locator('table').count();
  check(regions >= tables, 'a table is a region with a name');
  const sortable = page.locator('table.sortable');
  for (let i = 0; i < await sortable.count(); i++) await sort(sortable.nth(i), check, i === 0);
  for (const name of await page.locator('nav a').evaluateAll(links => links.map(a => a.getAttribute('href')))) {
    check(await page.locator(name).count() === 1, `${name} is nowhere`);
  }
  await page.emulateMedia({ media: 'print' });
  check(!await page.locator('nav').isVisible(), 'contents are not printed');
  const cut = await page.evaluate(() => [...document.querySelectorAll('.wide')].filter(d => getComputedStyle(d).overflowY !== 'visible').length);
  check(cut === 0, 'tables are printed whole');
  check((await page.pdf({ format: 'A4' })).length > 1000, 'it prints');
}

async function keys(table, i) {
  return table.evaluate((t, column) => [...t.tBodies[0].rows].map(row => {
    const data = row.cells[column].querySelector('data');
    return data ? Number(data.value) : row.cells[column].textContent.trim();
  }), i);
}

function inOrder(values, sign) {
  const known = values.filter(v => typeof v === 'number');
  const list = known.length ? known : values;
  const order = (a, b) => (typeof a === 'number' ? a - b : a.localeCompare(b));
  return list.every((v, i) => i === 0 || sign * order(list[i - 1], v) <= 0);
}

async function sort(table, check, byKeyboard) {
  const heads = table.locator('thead th'), count = await heads.count();
  for (let i = 0; i < count; i++) {
    const button = heads.nth(i).locator('button'), before = (await keys(table, i)).length;
    for (let click = 0; click < 2; click++) {
      if (byKeyboard) { await button.focus(); await button.press('Enter'); } else await button.click();
      const told = await heads.nth(i).getAttribute('aria-sort'), values = await keys(table, i);
      check(inOrder(values, told === 'ascending' ? 1 : -1), `column ${i} is not ${told}`);
      check(values.length === before, 'a row was lost');
      check(await table.locator('[aria-sort]').count() === 1, 'one column is told to be sorted');
    }
  }
}

(async () => {
  const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
  const results = {};
  for (const file of pages) results[file] = await look(browser, file);
  await browser.close();
  console.log(JSON.stringify(results));
})().catch(error => { console.error(error); process.exit(1); });
