/**
 * Largest triangle, three buckets (Steinarsson 2013): of each bucket the point that shows most of the line's shape is
 * kept, the first and the last always are. Points are `{x, y}` in order of x.
 */
export const downsample = (points, most) => {
  if (points.length <= most) return points;
  if (most < 3) return most === 2 ? [points[0], points.at(-1)] : points.slice(0, most);
  const bucket = (points.length - 2) / (most - 2);
  const kept = [points[0]];
  for (let index = 0; index < most - 2; index += 1) {
    const start = Math.floor(index * bucket) + 1;
    const end = Math.floor((index + 1) * bucket) + 1;
    const next = points.slice(end, Math.min(Math.floor((index + 2) * bucket) + 1, points.length));
    const meanX = next.reduce((sum, { x }) => sum + x, 0) / next.length;
    const meanY = next.reduce((sum, { y }) => sum + y, 0) / next.length;
    const { x: lastX, y: lastY } = kept.at(-1);
    let best = points[start];
    let largest = -1;
    for (const point of points.slice(start, end)) {
      const area = Math.abs((lastX - meanX) * (point.y - lastY) - (lastX - point.x) * (meanY - lastY));
      if (area > largest) [best, largest] = [point, area];
    }
    kept.push(best);
  }
  kept.push(points.at(-1));
  return kept;
};
