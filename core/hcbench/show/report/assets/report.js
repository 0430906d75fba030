// Draws all sections; an error in one section does not affect the others.

const SECTIONS = {
  claims: makeClaims,
  "leaderboard-table": makeLeaderboard,
  "tradeoff-figure": makeTradeoff,
  "curves-figure": makeCurves,
  "growth-figure": makeGrowth,
  "ranks-figure": makeRanks,
  "trees-figure": makeTrees,
};

for (const [id, make] of Object.entries(SECTIONS)) {
  const place = document.getElementById(id);
  if (!place) continue;
  try {
    make(place);
  } catch (error) {
    console.error(error);
    place.append(element("p", { text: `This section could not be drawn: ${error.message}` }));
  }
}

// The navigation marks the visible section.
const links = new Map([...document.querySelectorAll(".bar nav a")].map((link) => [link.hash.slice(1), link]));
const reading = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      links.forEach((link) => link.removeAttribute("aria-current"));
      links.get(target.id)?.setAttribute("aria-current", "true");
    }
  },
  { rootMargin: "-20% 0px -70%" },
);
for (const section of document.querySelectorAll("main > section")) reading.observe(section);
document.documentElement.dataset.ready = "yes";
