// How far apart colours are for eyes that lack one of the three cones.

/**
 * What is seen of linear red, green and blue: G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, "A
 * Physiologically-based Model for Simulation of Color Vision Deficiency", 2009, severity 1.0.
 */
const EYES = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

const linear = byte => { const part = byte / 255; return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4; };
const of = colour => [1, 3, 5].map(at => linear(parseInt(colour.slice(at, at + 2), 16)));
const times = (matrix, vector) => matrix.map(row => row.reduce((sum, part, at) => sum + part * vector[at], 0));

/** Oklab, in which equal distances look equally large: B. Ottosson, "A perceptual color space", 2020. Lightness is 0 to 100. */
function oklab(rgb) {
  const cones = times([
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
  ], rgb.map(part => Math.min(1, Math.max(0, part)))).map(Math.cbrt);
  return times([
    [0.2104542553, 0.793617785, -0.0040720468],
    [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
  ], cones).map(part => 100 * part);
}

/** The two colours, as `#rrggbb`, that are closest for some eye: their distance, positions, and whose eye. */
export function closest(colours) {
  let found = { distance: Infinity };
  for (const [eye, matrix] of Object.entries(EYES)) {
    const seen = colours.map(colour => oklab(times(matrix, of(colour))));
    seen.forEach((a, i) => seen.slice(0, i).forEach((b, j) => {
      const distance = Math.hypot(...a.map((part, at) => part - b[at]));
      if (distance < found.distance) found = { distance, pair: [j, i], eye };
    }));
  }
  return found;
}
