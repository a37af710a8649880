// SPDX-License-Identifier: Apache-2.0
#include "harness/report/page_style.h"

#include "harness/report/palette.h"

namespace harness::reports {
namespace {

// Nothing is wider than the window, except content of a .scroll, which scrolls.
constexpr std::string_view kRules = R"(
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1240px;margin:0 auto;padding:28px 20px 64px}
code,pre,.mono,svg text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
h1{font-size:17px;line-height:1.5;margin:0 0 10px;font-weight:600;overflow-wrap:anywhere}
h1 .path{font-size:20px}
h1 .config{color:var(--dim);font-weight:400}
h1 .signature{color:var(--bad)}
h1 .window{color:var(--text);background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:1px 7px}
h2{font-size:18px;margin:36px 0 10px}
p{margin:0 0 10px;overflow-wrap:anywhere}
.dim{color:var(--dim)}
.lead{font-size:22px;line-height:1.35;margin:16px 0 6px}
.badge{display:inline-block;border-radius:99px;padding:2px 12px;font-size:14px;font-weight:600}
.badge.good{background:var(--good-ground);color:var(--object)}
.badge.bad{background:var(--bad-ground);color:var(--bad);border-radius:8px;overflow-wrap:anywhere}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(260px,100%),1fr));gap:14px;margin:20px 0 0}
.card{border:1px solid var(--line);border-left-width:5px;border-radius:8px;padding:12px 16px;background:var(--panel);overflow-wrap:anywhere}
.card b{display:block;font-size:18px;line-height:1.3}
.card .what{font-size:13px;font-weight:700;letter-spacing:.06em;text-transform:uppercase}
.card.death{border-left-color:var(--death)}.card.death .what{color:var(--death)}
.card.use{border-left-color:var(--bad)}.card.use .what{color:var(--bad)}
.card.missing{border:2px dashed var(--bad)}.card.missing .what{color:var(--bad)}
.card.found{border-left-color:var(--bad)}.card.found .what{color:var(--bad)}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:8px;background:var(--page)}
.scroll:focus-visible{outline:2px solid var(--task);outline-offset:2px}
pre{margin:0;padding:14px 16px;font-size:13px;line-height:1.45}
pre.command{color:var(--text)}
.t2{color:var(--dim)}.t1{font-weight:700}.t33{color:var(--death)}.t31{color:var(--bad);font-weight:600}
table{border-collapse:collapse;width:100%;font-size:14px}
td,th{text-align:left;vertical-align:top;padding:6px 14px;border-bottom:1px solid var(--line)}
tr:last-child td,tr:last-child th{border-bottom:0}
th{font-weight:600;color:var(--dim);white-space:nowrap}
td code{white-space:nowrap}
.wrap td,.wrap td code{white-space:normal;overflow-wrap:break-word}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:2px 20px;margin:0 0 10px;padding:0;font-size:14px}
.legend li{display:flex;align-items:center;gap:6px}
.sample{flex:none}
.timeline{display:block}
.timeline text{font-size:13px;fill:var(--text)}
.timeline .axis,.timeline .turn{text-anchor:end;fill:var(--dim);font-size:12px}
.timeline .gap{text-anchor:middle;fill:var(--dim);font-size:14px}
.lane-name text{text-anchor:middle;font-size:12px;font-weight:700}
.lane-name.task text{fill:var(--task)}.lane-name.stream text{fill:var(--stream)}.lane-name.object text{fill:var(--object)}
.timeline .w-noise,.timeline .w-light{fill:var(--dim)}
.timeline .w-op{font-weight:700}
.timeline .w-concerned{fill:var(--text)}
.timeline .w-death{fill:var(--death);font-weight:700}
.timeline .w-fault{fill:var(--bad);font-weight:700}
.band-bad{fill:var(--bad-ground)}.band-death{fill:var(--death-ground)}
.lane{stroke:var(--line);stroke-width:1;fill:none}
.span-turns{fill:var(--task);opacity:.45}
.span-work{fill:var(--stream);fill-opacity:.25;stroke:var(--stream);stroke-width:1.5}
.span-life{fill:var(--object);fill-opacity:.28;stroke:var(--object);stroke-width:1.5}
.span-afterlife{fill:var(--bad);fill-opacity:.12;stroke:none}
.fill.task{fill:var(--task)}.fill.stream{fill:var(--stream)}.fill.object{fill:var(--object)}.fill.bad{fill:var(--bad)}
.ring{fill:var(--page);stroke-width:2}
.ring.task{stroke:var(--task)}.ring.stream{stroke:var(--stream)}.ring.object{stroke:var(--object)}.ring.bad{stroke:var(--bad)}
.bang{fill:none;stroke:var(--page);stroke-width:2.5;stroke-linecap:round}
.bang.ring{stroke-width:2}
.dead circle{fill:var(--page);stroke:var(--death);stroke-width:2.5}
.dead path{fill:none;stroke:var(--death);stroke-width:3;stroke-linecap:round}
.undead circle{fill:var(--page);stroke:var(--bad);stroke-width:2.5;stroke-dasharray:4 3}
.undead path{fill:none;stroke:var(--bad);stroke-width:3;stroke-linecap:round}
.touch{fill:none;stroke:var(--dim);stroke-width:1;opacity:.7}.touch.bad{stroke:var(--bad);stroke-width:1.5;opacity:1}
.edge{fill:none;stroke-width:1.75}
.edge.missing{stroke:var(--bad);stroke-width:3;stroke-dasharray:7 5}
.edge.ordered{stroke:var(--ordered);stroke-width:2}
.edge.submitted{stroke:var(--stream)}
.edge.caused{stroke:var(--dim);stroke-dasharray:2 4}
.edge.recycled{stroke:var(--death);stroke-dasharray:2 3}
.head.missing{fill:var(--bad)}.head.ordered{fill:var(--ordered)}.head.submitted{fill:var(--stream)}.head.caused{fill:var(--dim)}.head.recycled{fill:var(--death)}
.label-ground{fill:var(--page);stroke:var(--bad);stroke-width:1.5}
.timeline .label{fill:var(--bad);font-size:12px;font-weight:700;text-anchor:middle}
@media (max-width:600px){main{padding:18px 12px 40px}.lead{font-size:19px}h1,h1 .path{font-size:16px}td,th{padding:6px 10px}}
@media print{.scroll{overflow:visible}}
)";

Markup colours(bool dark) {
  Markup text;
  for (const Paint& paint : kPalette)
    text += Markup::of("--{}:{};", paint.name, dark ? paint.dark : paint.light);
  return text;
}

}  // namespace

Markup page_style() {
  return Markup::of(
      ":root{{color-scheme:light dark;{}}}\n@media (prefers-color-scheme:dark){{:root{{{}}}}}{}",
      colours(false), colours(true), Literal(kRules));
}

}  // namespace harness::reports
