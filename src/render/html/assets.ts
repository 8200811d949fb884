/** Style and script of the HTML report. Both are part of the file itself, so that it opens anywhere and fetches nothing. */

/** @param legend - RGB bytes of the heatmaps' scale, `3 * 256`, from value 0 to 1. */
export function stylesheet(legend: Uint8Array): string {
  const stops = Array.from({ length: 17 }, (_, at) => {
    const entry = 3 * Math.round((at * 255) / 16);
    return `#${Buffer.from(legend.subarray(entry, entry + 3)).toString('hex')}`;
  });
  return `${rules}\n.scale span{background:linear-gradient(90deg,${stops.join(',')})}`;
}

const rules = `
:root{--ink:#1b1f2a;--muted:#5a6272;--rule:#d3d7de;--panel:#f2f3f6;--accent:#3d2a6b}
*{box-sizing:border-box}
body{margin:0;background:#fff;color:var(--ink);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:960px;margin:0 auto;padding:24px}
section{clear:both}h1{font-size:28px;margin:0}h2{font-size:20px;color:var(--accent);margin:32px 0 8px}
h2 small{float:right;font-size:12px;color:var(--muted);text-transform:uppercase}
h3{font-size:15px;color:var(--accent);margin:16px 0 4px}
p{margin:4px 0 8px}.note,footer,nav,figcaption{color:var(--muted);font-size:13px}
section.evaluation{border-left:3px solid var(--accent);padding-left:14px;margin-left:-17px}
.laboratory{float:right;text-align:right;font-size:13px}.laboratory img{max-width:220px;max-height:80px}
.verdict{background:var(--panel);border-left:4px solid var(--accent);padding:14px 18px;margin-bottom:12px}
.places,.plots{display:flex;gap:24px}.places>*,.plots>*{flex:1 1 0;margin:0;font-size:14px}.places h3:first-child{margin-top:0}
.plot svg{width:100%;border:1px solid var(--rule);fill:none;stroke-width:2}.plot rect{fill:var(--panel)}.plot path{stroke:var(--ink);stroke-dasharray:4 4}
.plot .for{stroke:var(--accent);color:var(--accent)}.plot .against{stroke:#e0803a;color:#a85a1e}.plot h4{margin:4px 0}.headline{font-size:20px;font-weight:700;color:var(--accent)}
.picture{position:relative;display:block;line-height:0}.picture img{width:100%;outline:1px solid var(--rule)}
.beside{margin:0}.beside img{max-width:100%}
.picture svg{position:absolute;inset:0;width:100%;height:100%;fill:none}
table{border-collapse:collapse;width:100%;margin:6px 0 12px;font-size:14px}
th,td{text-align:left;vertical-align:top;padding:4px 10px 4px 0;border-bottom:1px solid var(--rule)}
thead th{color:var(--muted);font-size:12px}.rows th{width:28%;font-weight:400;color:var(--muted)}
.below td{font-size:12px;color:var(--muted);border:0}
.bar{position:relative;display:inline-block;float:right;width:140px;height:8px;margin-top:6px;background:var(--rule)}
.bar>*{position:absolute;top:0;height:100%}.bar i{left:0;background:var(--accent)}
.bar u{top:3px;height:2px;background:#e0803a}.bar s{top:-2px;height:12px;width:1px;background:var(--ink)}
.panel{max-width:140px}.rule{border-bottom:1px solid var(--muted);min-height:30px}
pre{background:var(--panel);padding:8px;overflow-x:auto}
.maps{display:grid;grid-template-columns:repeat(auto-fit,minmax(360px,1fr));gap:20px}
.viewer{overflow:auto;max-height:70vh;background:var(--panel)}.zoomed{position:relative;width:100%}
.over{position:absolute;inset:0;width:100%;height:100%;clip-path:inset(0 50% 0 0)}
label{display:block;font-size:13px;color:var(--muted)}input[type=range]{width:55%;vertical-align:middle}
.glance{font-weight:700}.scale{display:flex;justify-content:space-between;flex-wrap:wrap;font-size:13px;color:var(--muted)}
.scale span{flex:0 0 100%;height:12px}
@media screen and (max-width:700px){.places,.plots{flex-direction:column}.maps{grid-template-columns:1fr}
table,tbody,tr,th,td{display:block}thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tr{border-bottom:1px solid var(--rule);padding:4px 0}th,td,.below td{border:0;padding:0 0 2px}.rows th{width:auto}
tr:has(+.below){border:0}td:empty{display:none}td[data-label]::before{content:attr(data-label) ': ';color:var(--muted)}}
@media print{label{display:none}.viewer{max-height:none}.over{clip-path:none!important}}`;

/** Slides between the picture and a heatmap, and enlarges both. */
export const script = `
for (const map of document.querySelectorAll('.map')) {
  const over = map.querySelector('.over');
  const zoomed = map.querySelector('.zoomed');
  map.querySelector('.slide').addEventListener('input', ({ target }) => {
    over.style.clipPath = 'inset(0 ' + (100 - target.value) + '% 0 0)';
  });
  map.querySelector('.zoom').addEventListener('input', ({ target }) => {
    zoomed.style.width = 100 * target.value + '%';
  });
}
`;
