it('the projects of npm run test:all name the tier by which generated cases are divided', () => {
  const { projects } = jest.requireActual<{
    projects: { displayName: string; globals: { testTier?: string } }[];
  }>('../../.ci/jest.all.config.cjs');
  expect(
    projects.filter(({ globals }) => globals.testTier === undefined).map(({ displayName }) => displayName),
  ).toEqual([]);
});
