// Okabe and Ito's colours, which colour-blind readers tell apart; yellow, unreadable on white, is kept for dark.
export const THEMES = {
  light: {
    background: '#ffffff',
    text: '#1f2933',
    muted: '#52606d',
    grid: '#e4e7eb',
    axis: '#9aa5b1',
    palette: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#5f6b7a', '#8a5a2b'],
  },
  dark: {
    background: '#17202b',
    text: '#f5f7fa',
    muted: '#b8c4d0',
    grid: '#2f3b4a',
    axis: '#64748b',
    palette: ['#56b4e9', '#e69f00', '#1fc796', '#e39bc4', '#f0e442', '#ff7a33', '#9db2ff', '#c9d1d9'],
  },
};

/** Pixels before the image is enlarged by `scale`. */
export const SIZES = { padding: 24, title: 18, subtitle: 13, label: 13, tick: 12, lineHeight: 1.3 };

/** How the series of an index is told from the others: by colour, then also by dashes and by the shape of its marks. */
export const seriesStyle = (theme, index) => {
  const round = Math.floor(index / theme.palette.length);
  return {
    color: theme.palette[index % theme.palette.length],
    dashes: round === 0 ? null : '7 4',
    shape: ['circle', 'square', 'triangle', 'diamond'][(index + round) % 4],
  };
};
