// Every visible text of the page whose contrast with what is behind it is below `least`, as WCAG 2
// counts it: [text, contrast].
(least) => {
  const parse = (text) => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return { rgb: [red, green, blue], alpha: alpha / 255 };
  };
  const over = (top, below) => top.rgb.map((part, i) => part * top.alpha + below[i] * (1 - top.alpha));
  const behind = (element) => {
    const below = element.parentElement ? behind(element.parentElement) : parse("Canvas").rgb;
    return over(parse(getComputedStyle(element).backgroundColor), below);
  };
  const luminance = (rgb) => {
    const [red, green, blue] = rgb
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const text = texts.currentNode.data.trim();
    const range = document.createRange();
    range.selectNode(texts.currentNode);
    const box = range.getBoundingClientRect();
    if (!text || !box.width || !box.height || !element.checkVisibility({ visibilityProperty: true })) continue;
    seen += 1;
    const style = getComputedStyle(element);
    const colour = parse(element instanceof SVGElement ? style.fill : style.color);
    const below = behind(element);
    const [light, dark] = [luminance(over(colour, below)), luminance(below)].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < least) found.push([text, Math.round(contrast * 100) / 100]);
  }
  return { seen, found };
};
