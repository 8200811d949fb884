/** The sheet of a report and how its words look. Points are 1/72 inch, from the upper left. */

/** A4. All marks lie between 36 and 778 pt, so that the sheet also prints on Letter (792 pt high) without scaling. */
export const sheet = {
  width: 595.28,
  height: 841.89,
  left: 56,
  right: 539.28,
  top: 67,
  bottom: 748,
  headerTop: 40,
  footerTop: 762,
} as const;

export const textWidth = sheet.right - sheet.left;

export const ink = {
  text: '#1b1f2a',
  muted: '#5a6272',
  rule: '#d3d7de',
  panel: '#f2f3f6',
  accent: '#3d2a6b',
  range: '#e0803a',
} as const;

/** Size and distance of lines in points. */
export const styles = {
  title: { font: 'bold', size: 19, leading: 24, colour: ink.text },
  headline: { font: 'bold', size: 13.5, leading: 18, colour: ink.accent },
  section: { font: 'bold', size: 13, leading: 17, colour: ink.accent },
  heading: { font: 'bold', size: 9.4, leading: 13.1, colour: ink.accent },
  entry: { font: 'bold', size: 9.2, leading: 13.1, colour: ink.text },
  body: { font: 'regular', size: 9.2, leading: 13.1, colour: ink.text },
  cell: { font: 'regular', size: 8.5, leading: 11.8, colour: ink.text },
  label: { font: 'regular', size: 8.5, leading: 11.8, colour: ink.muted },
  mark: { font: 'bold', size: 7, leading: 9, colour: ink.accent },
  quietMark: { font: 'regular', size: 7, leading: 9, colour: ink.muted },
  head: { font: 'bold', size: 7.5, leading: 10.4, colour: ink.muted },
  small: { font: 'regular', size: 7.8, leading: 10.8, colour: ink.text },
  note: { font: 'regular', size: 7.5, leading: 10.4, colour: ink.muted },
} as const;
export type Style = (typeof styles)[keyof typeof styles];
