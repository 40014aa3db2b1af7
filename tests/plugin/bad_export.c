/* A library that loads and is no module. */
int orr_no_plugin(void);
int orr_no_plugin(void)
{
    return 42;
}
